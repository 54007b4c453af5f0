import { type Chain, ChainError } from '@affine/chain'
import { giveAllWeightTo } from '@affine/engine'
import { findRecipient, openLive, readSnapshot, recompute } from '@affine/settlement'
import { formatValue, withChain } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { readOwnSeat } from '../examination/seat.ts'
import { addAccountOptions, readNamedAccount, readValidatorAccount } from '../service/account.ts'
import { findSettings } from '../settings/entries.ts'
import { isSending, readFoundValues } from '../settings/settings.ts'
import { SENDING } from '../settings/table.ts'
import { createReplayCommand, prepareReplay } from './replay.ts'

const EXAMPLES = `  $ af set-weights --network http://127.0.0.1:9944 --key k --buckets buckets`

export const setWeights: CommandUnknownOpts = addAccountOptions(
  createReplayCommand('set-weights', EXAMPLES),
)
  .option('--emit', 'send the weights; finney is a dry run without it')
  .option('--dry-run', 'send nothing, even with --emit')
  .action(async ({ buckets, last, ...options }) => {
    const sending = readFoundValues(findSettings(options, process.env), SENDING)
    const account = await readNamedAccount(options, readValidatorAccount)
    const { hotkey } = account
    await withChain(openLive, options, async (subnet, screen) => {
      const { chain, network } = subnet
      const replay = await prepareReplay(subnet, { buckets, last })
      let state = replay.from
      for await (const settled of recompute(replay)) state = settled.state
      const recipient = findRecipient(state, await readSnapshot(chain, state))
      const weights = await computeWeights(recipient, chain, hotkey)
      const role = recipient === state.champion?.hotkey ? 'champion' : "subnet's owner"
      const text = `${formatValue(weights)}, to the ${role} ${recipient}`
      const record = { type: 'weights', hotkey, weights }
      if (!isSending(network, sending))
        return screen.line(`would set ${text}; nothing is sent`, { ...record, type: 'withheld' })
      screen.wait('waiting for the block with the weights')
      const { number: block } = await chain.setWeights(account, weights)
      const held = (await chain.weights(block))[hotkey] ?? []
      const result = `block ${block} contains ${text}. Weights in force: ${formatValue(held)}`
      screen.line(result, { ...record, block, held })
    })
  })

/** @throws ChainError without registration or permit; Error without a registered recipient. */
async function computeWeights(recipient: string | undefined, chain: Chain, hotkey: string) {
  const { seat, snapshot } = await readOwnSeat(chain, hotkey)
  if (!seat.neuron.permit) throw new ChainError('NeuronNoValidatorPermit')
  const weights = giveAllWeightTo(recipient, snapshot.neurons)
  if (weights !== undefined) return weights
  const lack = recipient
    ? `${recipient} is no longer registered`
    : "neither a champion nor the subnet's owner is registered"
  throw new Error(`${lack}: no weights to set in this epoch`)
}
