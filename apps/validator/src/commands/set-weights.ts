import { type Chain, ChainError, type UidWeights } from '@affine/chain'
import type { State } from '@affine/duel'
import { championWeights } from '@affine/engine'
import { openLive } from '@affine/settlement'
import { onChain, shown } from '@affine/terminal'
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { emits } from '../buckets/places.ts'
import { accountOf, neuronOf, withAccount } from '../service/account.ts'
import { readSending } from '../settings/settings.ts'
import { Replay, replayCommand } from './replay.ts'

/** `af set-weights`: does once what a validator does once an epoch. */
export const setWeights: CommandUnknownOpts = withAccount(replayCommand('set-weights'))
  .option('--emit', 'send the weights; on finney, without it, they are only shown')
  .addOption(new Option('--dry-run', 'send nothing, on any network').conflicts('emit'))
  .addHelpText(
    'after',
    '\nExample:\n  $ af set-weights --network http://127.0.0.1:9944 --key k --buckets buckets',
  )
  .action(async ({ buckets, last, ...options }) => {
    const sending = readSending(options)
    const account = await accountOf(options)
    const { hotkey } = account
    await onChain(openLive, options, async (subnet, screen) => {
      const { chain, network } = subnet
      const replay = await Replay.begin(subnet, { buckets, last })
      const { champion } = await replay.finish()
      const weights = await weightsFor(champion, chain, hotkey)
      const text = `${shown(weights)}, to the champion ${champion?.hotkey}`
      const record = { type: 'weights', hotkey, weights }
      if (!emits(network, sending))
        return screen.line(`would set ${text}; nothing is sent`, { ...record, type: 'withheld' })
      const { number: block } = await chain.setWeights(account, weights)
      const held = (await chain.weights(block))[hotkey] ?? []
      const said = `block ${block} has ${text}. In force now: ${shown(held)}`
      screen.line(said, { ...record, block, held })
    })
  })

/** @throws ChainError without a permit to set weights; Error without a champion to give them to. */
async function weightsFor(
  champion: State['champion'],
  chain: Chain,
  hotkey: string,
): Promise<UidWeights> {
  const { own, all } = await neuronOf(chain, hotkey)
  if (!own.permit) throw new ChainError('NeuronNoValidatorPermit')
  if (champion === undefined)
    throw new Error('there is no champion yet: no weights to set in this epoch')
  const weights = championWeights(champion, all)
  if (weights !== undefined) return weights
  const lack = `the champion ${champion.hotkey} is no longer registered`
  throw new Error(`${lack}: no weights to set in this epoch`)
}
