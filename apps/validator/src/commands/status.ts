import {
  exportStatus,
  formatStatus,
  listQueueRows,
  listValidatorRows,
  readStatus,
} from '@affine/report'
import { type EpochResult, openChain, recompute } from '@affine/settlement'
import { formatTable, readNames, withChain } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { createReplayCommand, prepareReplay } from './replay.ts'

const EXAMPLES = `  $ af status --network http://127.0.0.1:9944 --buckets buckets
  $ af status --network finney --last 1`

export const status: CommandUnknownOpts = createReplayCommand('status', EXAMPLES).action(
  ({ buckets, last, ...options }) =>
    withChain(openChain, options, async (subnet, screen) => {
      const replay = await prepareReplay(subnet, { buckets, last })
      const names = await readNames(options.network)
      let result: EpochResult | undefined
      for await (const settled of recompute(replay)) result = settled
      const found = await readStatus(replay, result?.state ?? replay.from, result)
      const queue = listQueueRows(found, names)
      const validators = formatTable(listValidatorRows(found, names))
      const tables = [...validators, ...(queue.length > 0 ? ['', ...formatTable(queue)] : [])]
      screen.line([...formatStatus(found, names), ...tables].join('\n'), exportStatus(found))
    }),
)
