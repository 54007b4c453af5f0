import type { Report } from '@affine/duel'
import { statusRecord, statusTexts, subnetStatus } from '@affine/report'
import { openChain, openLive, type Subnet } from '@affine/settlement'
import { align, maskUrls, type Output, onChain, output, shown } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { Replay, replayCommand } from './replay.ts'

/** Begins a terminal's screen anew. */
const CLEAR = '\x1b[H\x1b[J'

/** `af status`: where a subnet stands, from its public data. */
export const status: CommandUnknownOpts = replayCommand('status')
  .description('where a subnet stands: deadlines, duel, lanes, trust, weights, queue')
  .option('--watch', 'show it again at every block, in place in a terminal, until Ctrl-C')
  .addHelpText(
    'after',
    '\nExample:\n  $ af status --network http://127.0.0.1:9944 --buckets buckets --watch',
  )
  .action(({ buckets, last, watch, ...options }) => {
    const begin = (subnet: Subnet): Promise<Replay> => Replay.begin(subnet, { buckets, last })
    if (!watch)
      return onChain(openChain, options, async (subnet, screen) =>
        new StatusView(subnet, await begin(subnet)).show(screen),
      )
    const onRetry = ({ message }: Error): void => {
      const text = maskUrls(message)
      output(options.json).line(`! ${shown(text)}`, { type: 'problem', message: text })
    }
    return onChain(openLive, { ...options, onRetry }, async (subnet, screen, signal) => {
      const view = new StatusView(subnet, await begin(subnet))
      const isInPlace = process.stdout.isTTY && !options.json
      for await (const { number } of subnet.chain.heads(signal)) {
        // Slower than the chain: what lies between is passed over.
        if (number < view.next) continue
        await view.show(screen, isInPlace ? CLEAR : '').catch(onRetry)
      }
    })
  })

/** A subnet as it stands whenever it is shown. */
class StatusView {
  readonly #subnet: Subnet
  readonly #replay: Replay
  /** Of the last epoch decided. */
  #report: Report | undefined
  /** The first block that was not shown. */
  next = 0

  constructor(subnet: Subnet, replay: Replay) {
    this.#subnet = subnet
    this.#replay = replay
  }

  async show(screen: Output, before = ''): Promise<void> {
    for await (const { report } of this.#replay.epochs()) this.#report = report
    const found = await subnetStatus(this.#subnet, this.#replay.state, this.#report)
    if (before !== '') process.stdout.write(before)
    screen.line([...statusTexts(found), ...align(found.rows)].join('\n'), statusRecord(found))
    this.next = found.block + 1
  }
}
