import {
  exportStatus,
  formatStatus,
  listQueueRows,
  listValidatorRows,
  readStatus,
} from '@affine/report'
import { type EpochResult, openChain, openLive, recompute } from '@affine/settlement'
import { formatTable, printRetry, readNames, withChain } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { createReplayCommand, prepareReplay } from './replay.ts'

const CLEAR = '\x1b[H\x1b[J'

const EXAMPLES = `  $ af status --network http://127.0.0.1:9944 --buckets buckets --watch
  $ af status --network finney --last 1 --watch`

export const status: CommandUnknownOpts = createReplayCommand('status', EXAMPLES)
  .option('--watch', 'repeat after every block until Ctrl-C')
  .action(({ buckets, last, watch, ...options }) => {
    const open = watch ? openLive : openChain
    return withChain(open, options, async (subnet, screen, signal) => {
      const isInPlace = watch && process.stdout.isTTY && !options.json
      const replay = await prepareReplay(subnet, { buckets, last })
      const names = await readNames(options.network)
      let result: EpochResult | undefined
      /** Prints the current state of the subnet, and resolves with its block. */
      const show = async (): Promise<number> => {
        const from = result?.state ?? replay.from
        for await (const settled of recompute({ ...replay, from })) result = settled
        const found = await readStatus(replay, result?.state ?? from, result)
        if (isInPlace) process.stdout.write(CLEAR)
        const queue = listQueueRows(found, names)
        const validators = formatTable(listValidatorRows(found, names))
        const tables = [...validators, ...(queue.length > 0 ? ['', ...formatTable(queue)] : [])]
        screen.line([...formatStatus(found, names), ...tables].join('\n'), exportStatus(found))
        return found.block
      }
      if (!watch) return void (await show())
      let shownBlock = -1
      for await (const { number } of subnet.chain.heads(signal)) {
        // The last print showed the newest block, which may be later than this one.
        if (number <= shownBlock) continue
        shownBlock = (await show().catch(printRetry)) ?? shownBlock
      }
    })
  })
