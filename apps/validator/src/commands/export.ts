import { epochRows, sampleRow } from '@affine/report'
import { openChain } from '@affine/settlement'
import { onChain, output, printable } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { emptyFolder } from '../service/empty-folder.ts'
import { History } from './export/history.ts'
import { Replay, replayCommand } from './replay.ts'

const EXAMPLES = `
Examples:
  $ af export --csv history --network chain.json --buckets buckets
  $ af export --csv history --network finney --last 40
  $ python -c "import pandas; print(pandas.read_csv('history/epochs.csv'))"`

/** `af export`: a subnet's history as tables, from its public data. */
export const exportCommand: CommandUnknownOpts = replayCommand('export')
  .description('write a recomputed history as tables: epochs, environments, lanes, trust, samples')
  .requiredOption('--csv <folder>', 'the folder to write, which is empty or not there yet')
  .addHelpText('after', EXAMPLES)
  .action(async ({ csv, buckets, last, ...options }) => {
    const folder = await emptyFolder(csv, '--csv')
    const history = new History(folder)
    let isDone = false
    try {
      await onChain(openChain, options, async (subnet, screen) => {
        const replay: Replay = await Replay.begin(subnet, { buckets, last }, (sample, place) =>
          history.add(sampleRow({ ...place, epoch: replay.state.epoch, sample })),
        )
        for await (const settled of replay.epochs()) {
          for (const row of epochRows(settled)) history.add(row)
          screen.status(`epoch ${settled.epoch}, ${history.rows.samples} samples`)
        }
        history.finish()
        isDone = true
        const { rows } = history
        const counts = Object.entries(rows).map(([name, count]) => `  ${name}.csv: ${count} rows`)
        const text = [`the history is in ${printable(folder, 1000)}`, ...counts].join('\n')
        screen.line(text, { type: 'exported', folder, rows })
      })
    } finally {
      history[Symbol.dispose]()
      if (!isDone) {
        const text = `it is not finished: ${printable(folder, 1000)} is left empty`
        output(options.json).line(text, { type: 'unfinished', folder })
      }
    }
  })
