import { type Chain, ChainError, type UidWeights } from '@affine/chain'
import { allWeightTo } from '@affine/engine'
import { openLive, recipientOf, recompute, snapshotOf } from '@affine/settlement'
import { onChain, shown } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { ownSeat } from '../examination/seat.ts'
import { accountOf, readValidator, withAccount } from '../service/account.ts'
import { findSettings } from '../settings/found-settings.ts'
import { emits, valuesFrom } from '../settings/settings.ts'
import { SENDING } from '../settings/table.ts'
import { replayCommand, replayOf } from './replay.ts'

/** `af set-weights`: does once what a validator does once an epoch. */
export const setWeights: CommandUnknownOpts = withAccount(replayCommand('set-weights'))
  .option('--emit', 'send the weights; on finney, without it, they are only shown')
  .option('--dry-run', 'send nothing, on any network')
  .addHelpText(
    'after',
    '\nExample:\n  $ af set-weights --network http://127.0.0.1:9944 --key k --buckets buckets',
  )
  .action(async ({ buckets, last, ...options }) => {
    const sending = valuesFrom(findSettings(options, process.env), SENDING)
    const account = await accountOf(options, readValidator)
    const { hotkey } = account
    await onChain(openLive, options, async (subnet, screen) => {
      const { chain, network } = subnet
      const replay = await replayOf(subnet, { buckets, last })
      let state = replay.from
      for await (const settled of recompute(replay)) state = settled.state
      const recipient = recipientOf(state, await snapshotOf(chain, state))
      const weights = await weightsFor(recipient, chain, hotkey)
      const role = recipient === state.champion?.hotkey ? 'champion' : "subnet's owner"
      const text = `${shown(weights)}, to the ${role} ${recipient}`
      const record = { type: 'weights', hotkey, weights }
      if (!emits(network, sending))
        return screen.line(`would set ${text}; nothing is sent`, { ...record, type: 'withheld' })
      const { number: block } = await chain.setWeights(account, weights)
      const held = (await chain.weights(block))[hotkey] ?? []
      const said = `block ${block} has ${text}. In force now: ${shown(held)}`
      screen.line(said, { ...record, block, held })
    })
  })

/** @throws ChainError without a permit to set weights; Error without anyone to give them to. */
async function weightsFor(
  recipient: string | undefined,
  chain: Chain,
  hotkey: string,
): Promise<UidWeights> {
  const { seat, snapshot } = await ownSeat(chain, hotkey)
  if (!seat.neuron.permit) throw new ChainError('NeuronNoValidatorPermit')
  const weights = allWeightTo(recipient, snapshot.neurons)
  if (weights !== undefined) return weights
  const lack = recipient
    ? `${recipient} is no longer registered`
    : "neither a champion nor the subnet's owner is registered"
  throw new Error(`${lack}: no weights to set in this epoch`)
}
