import type { Report } from '@affine/duel'
import { type ChainOptions, chainCommand, onChain, openChain, openLive, recompute } from '@affine/verifier'
import { type Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { bucketsIn } from '../setup.ts'
import { readersState } from '../starting-state.ts'
import { shown } from './chain.ts'
import { whole } from './options.ts'
import { standing } from './standing.ts'

type Last = Option<'--last <epochs>', undefined, undefined, number>
export const BUCKETS: Option<'--buckets <folder|url>'> = new Option(
  '--buckets <folder|url>',
  'where the buckets announced by name are; not needed for https buckets',
)
export const LAST: Last = new Option(
  '--last <epochs>',
  'only these, from the state that more than half the stake attested',
).argParser(whole(1, 1e6))

/** A command that replays a subnet from its public data. */
export const replayCommand = (name: string): Command<[], ChainOptions & { buckets?: string; last?: number }> =>
  chainCommand(name).addOption(BUCKETS).addOption(LAST)

/** `af status`: where a subnet stands, from its public data. */
export const status: CommandUnknownOpts = replayCommand('status')
  .description('where a subnet stands: deadlines, duel, lanes, trust, weights, queue')
  .option('--watch', 'again at every block, in place in a terminal, until Ctrl-C')
  .addHelpText('after', '\nExample:\n  $ af status --network http://127.0.0.1:9944 --buckets buckets --watch')
  .action(({ buckets, last, watch, ...options }) =>
    onChain(watch ? openLive : openChain, options, async ({ chain, network }, screen, signal) => {
      const asked = { chain, network, openBucket: bucketsIn(buckets, network), compare: false }
      let from = await readersState(asked, last)
      let [report, seen]: [Report | undefined, number] = [undefined, -1]
      for await (const { number } of watch ? chain.heads(signal) : [await chain.head()]) {
        if (number <= seen) continue // slower than the chain: what lies between is passed over
        try {
          for await (const settled of recompute({ ...asked, from })) [from, report] = [settled.state, settled.report]
          const { text, ...record } = await standing(chain, network, from, report)
          screen.line(`${watch && process.stdout.isTTY ? '\x1b[H\x1b[J' : ''}${text}`, record)
          seen = record.block
        } catch (error) {
          if (!watch) throw error
          screen.line(`! ${shown((error as Error).message)}`, { type: 'problem', message: (error as Error).message })
        }
      }
    }),
  )
