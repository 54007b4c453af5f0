import { decimalOf, readSlot } from '@affine/chain'
import { statusRecord, statusTexts, subnetStatus } from '@affine/report'
import { openChain, openLive, recompute, type Settled, type Subnet } from '@affine/settlement'
import {
  align,
  maskUrls,
  type Output,
  onChain,
  output,
  shown,
  table,
  whole,
} from '@affine/terminal'
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { replayCommand, replayOf } from './replay.ts'

/** Clears a terminal's screen. */
const CLEAR = '\x1b[H\x1b[J'

const BLOCK = new Option(
  '--block [n]',
  'show instead what the chain holds after this block, or without a number after the newest: ' +
    'each neuron, its stake, what it has committed, and the weights that it has set',
)
  .argParser(whole(0, 2 ** 32 - 1))
  .conflicts(['watch', 'last'])

const EXAMPLES = `
Examples:
  $ af status --network http://127.0.0.1:9944 --buckets buckets --watch
  $ af status --network finney --block`

/** `af status`: shows the state of a subnet, from its public data. */
export const status: CommandUnknownOpts = replayCommand('status')
  .option('--watch', 'show it again after every block until Ctrl-C; a terminal is redrawn')
  .addOption(BLOCK)
  .addHelpText('after', EXAMPLES)
  .action(({ buckets, last, watch, block, ...options }) => {
    if (block !== undefined)
      return onChain(openChain, { firstEpoch: 0, ...options }, (subnet, screen) =>
        sayBlock(subnet, block, screen),
      )
    if (!watch)
      return onChain(openChain, options, async (subnet, screen) => {
        await showing(await replayOf(subnet, { buckets, last }), screen)()
      })
    const onRetry = ({ message }: Error): void => {
      const text = maskUrls(message)
      output(options.json).line(`! ${shown(text)}`, { type: 'problem', message: text })
    }
    return onChain(openLive, { ...options, onRetry }, async (subnet, screen, signal) => {
      const isInPlace = process.stdout.isTTY && !options.json
      const show = showing(
        await replayOf(subnet, { buckets, last }),
        screen,
        isInPlace ? CLEAR : '',
      )
      let shownBlock = -1
      for await (const { number } of subnet.chain.heads(signal)) {
        // If this is slower than the chain, it skips the blocks between.
        if (number <= shownBlock) continue
        shownBlock = (await show().catch(onRetry)) ?? shownBlock
      }
    })
  })

/** Shows the present state of a subnet each time, after `before`; resolves with its block. */
function showing(
  replay: Awaited<ReturnType<typeof replayOf>>,
  screen: Output,
  before = '',
): () => Promise<number> {
  let last: Settled | undefined
  return async () => {
    const from = last?.state ?? replay.from
    for await (const settled of recompute({ ...replay, from })) last = settled
    const found = await subnetStatus(replay, last?.state ?? from, last)
    process.stdout.write(before)
    const waiting = found.queue.filter(({ place }) => place !== undefined)
    const queue = waiting.map(({ place, uid, hotkey, block, turn, eviction, readyBy }) => ({
      ...{ place, uid, hotkey, block },
      'turn in epochs': turn && `${turn.least} to ${turn.most}`,
      'ready by epoch': readyBy,
      'evicted by registration': eviction?.registrations,
      'immune for blocks': eviction?.immuneBlocks,
    }))
    const tables = [...align(found.rows), ...(queue.length > 0 ? ['', ...align(queue)] : [])]
    screen.line([...statusTexts(found), ...tables].join('\n'), statusRecord(found))
    return found.block
  }
}

/** Prints what the chain holds after a block, a neuron a row. */
async function sayBlock({ chain }: Subnet, asked: number | true, screen: Output): Promise<void> {
  const block = asked === true ? (await chain.head()).number : asked
  const { head, tempo, revealPeriod, neurons, commitments } = await chain.snapshot(block)
  const slots = new Map(commitments.map((slot) => [slot.hotkey, readSlot(slot)]))
  const weights = await chain.weights(block)
  const rows = neurons.map(({ uid, hotkey, stake, ...neuron }) => {
    const { block: committed, kind, says } = slots.get(hotkey) ?? {}
    const said = { committed, kind, says, weights: weights[hotkey] }
    return { uid, hotkey, stakeTao: decimalOf(stake), ...neuron, ...said }
  })
  const { netuid } = chain
  const text = `subnet ${netuid} at the end of block ${head.number}`
  table(screen, { text, record: { type: 'block', netuid, ...head, tempo, revealPeriod } }, rows)
}
