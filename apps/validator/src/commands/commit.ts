import { decodeCommitment, encodeCommitment } from '@affine/chain'
import { onChain, openLive } from '@affine/verifier'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { emits } from '../setup.ts'
import { accountOf, accountOnChain, neuronOf, readSlot, shown } from './chain.ts'

/** `af commit`: a miner's commitment. */
export const commit: CommandUnknownOpts = accountOnChain('commit')
  .description("put a miner's model on chain: from then on it waits for its duel")
  .requiredOption('--model <name>', "the model's name, which contains the hotkey")
  .requiredOption('--revision <hash>', "the model's")
  .requiredOption('--chute <where>', 'where it answers')
  .option('--emit', 'send it: on finney, it is only shown without')
  .addHelpText(
    'after',
    '\nExample:\n  $ af commit --network finney --key k --model me/5F… --revision 1a --chute c',
  )
  .action(async ({ model, revision, chute, ...options }) => {
    const account = await accountOf(options)
    const { hotkey } = account
    const fields = encodeCommitment({ kind: 'miner', model, revision, chute })
    if (decodeCommitment(fields, hotkey) === null)
      throw new RangeError(
        `"model" expected a name that contains the hotkey, ${hotkey}, got ${JSON.stringify(model)}`,
      )
    await onChain(openLive, { firstEpoch: 0, ...options }, async ({ chain, network }, screen) => {
      await neuronOf(chain, hotkey)
      const what = { hotkey, model, revision, chute }
      if (!emits(network, options))
        return screen.line(`would commit ${shown(what)}: not sent without --emit`, {
          type: 'withheld',
          ...what,
        })
      const { number } = await chain.commit(account, fields)
      const slot = (await chain.snapshot(number)).commitments.find((slot) => slot.hotkey === hotkey)
      if (slot?.block !== number)
        throw new Error(`block ${number} was to hold the commitment: it does not`)
      screen.line(`block ${number} has ${shown(readSlot(slot).says)}`, {
        type: 'committed',
        ...readSlot(slot),
      })
    })
  })
