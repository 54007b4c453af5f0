import { statusRecord, statusTexts, subnetStatus } from '@affine/report'
import { openChain, openLive, type Settled, type Subnet } from '@affine/settlement'
import { align, maskUrls, type Output, onChain, output, shown } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { Replay, replayCommand } from './replay.ts'

/** Clears a terminal's screen. */
const CLEAR = '\x1b[H\x1b[J'

/** `af status`: shows the state of a subnet, from its public data. */
export const status: CommandUnknownOpts = replayCommand('status')
  .description('show the state of a subnet: deadlines, duel, lanes, trust, weights, queue')
  .option('--watch', 'show it again after every block until Ctrl-C; a terminal is redrawn')
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
        // If this is slower than the chain, it skips the blocks between.
        if (number < view.next) continue
        await view.show(screen, isInPlace ? CLEAR : '').catch(onRetry)
      }
    })
  })

/** Shows the present state of a subnet each time. */
class StatusView {
  readonly #subnet: Subnet
  readonly #replay: Replay
  /** The last epoch decided. */
  #last: Settled | undefined
  /** The first block that was not shown. */
  next = 0

  constructor(subnet: Subnet, replay: Replay) {
    this.#subnet = subnet
    this.#replay = replay
  }

  async show(screen: Output, before = ''): Promise<void> {
    for await (const settled of this.#replay.epochs()) this.#last = settled
    const found = await subnetStatus(this.#subnet, this.#replay.state, this.#last)
    if (before !== '') process.stdout.write(before)
    screen.line([...statusTexts(found), ...align(found.rows)].join('\n'), statusRecord(found))
    this.next = found.block + 1
  }
}
