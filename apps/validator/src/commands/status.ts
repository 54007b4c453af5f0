import type { Report } from '@affine/duel'
import { onChain, openChain, openLive, recompute } from '@affine/verifier'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { bucketsIn } from '../setup.ts'
import { readersState } from '../starting-state.ts'
import { shown } from './chain.ts'
import { replayCommand } from './options.ts'
import { standing } from './standing.ts'

/** `af status`: where a subnet stands, from its public data. */
export const status: CommandUnknownOpts = replayCommand('status')
  .description('where a subnet stands: deadlines, duel, lanes, trust, weights, queue')
  .option('--watch', 'again at every block, in place in a terminal, until Ctrl-C')
  .addHelpText(
    'after',
    '\nExample:\n  $ af status --network http://127.0.0.1:9944 --buckets buckets --watch',
  )
  .action(({ buckets, last, watch, ...options }) =>
    onChain(watch ? openLive : openChain, options, async ({ chain, network }, screen, signal) => {
      const asked = { chain, network, openBucket: bucketsIn(buckets, network), compare: false }
      let from = await readersState(asked, last)
      let [report, seen]: [Report | undefined, number] = [undefined, -1]
      for await (const { number } of watch ? chain.heads(signal) : [await chain.head()]) {
        if (number <= seen) continue // slower than the chain: what lies between is passed over
        try {
          for await (const settled of recompute({ ...asked, from }))
            [from, report] = [settled.state, settled.report]
          const { text, ...record } = await standing(chain, network, from, report)
          screen.line(`${watch && process.stdout.isTTY ? '\x1b[H\x1b[J' : ''}${text}`, record)
          seen = record.block
        } catch (error) {
          if (!watch) throw error
          screen.line(`! ${shown((error as Error).message)}`, {
            type: 'problem',
            message: (error as Error).message,
          })
        }
      }
    }),
  )
