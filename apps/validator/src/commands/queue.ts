import { queueIn } from '@affine/report'
import { firstStateOf, openChain } from '@affine/settlement'
import { onChain, table } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { Replay, replayCommand } from './replay.ts'

const UNKNOWN =
  ', judged by commitments only; with --buckets or --last also by which miners had a duel'

/** `af queue`: shows which miner has the next duel. */
export const queue: CommandUnknownOpts = replayCommand('queue')
  .description(
    'list the miners that wait for a duel, the next first, and why the others do not wait',
  )
  .addHelpText(
    'after',
    '\nExample:\n  $ af queue --network http://127.0.0.1:9944 --buckets buckets',
  )
  .action(({ buckets, last, ...options }) =>
    onChain(openChain, options, async (subnet, screen) => {
      const { chain, network } = subnet
      const known = buckets !== undefined || last !== undefined
      let state = firstStateOf(network)
      if (known) state = await (await Replay.begin(subnet, { buckets, last })).finish()
      const snapshot = await chain.snapshot((await chain.head()).number)
      const block = snapshot.head.number
      const { waiting, rows } = queueIn(state, snapshot, network)
      const title = {
        text: `block ${block}: ${waiting.length} waiting${known ? '' : UNKNOWN}`,
        record: { type: 'queue', block, waiting, known },
      }
      table(screen, title, rows)
    }),
  )
