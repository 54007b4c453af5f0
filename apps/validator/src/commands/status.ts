import { formatTao, readSlot } from '@affine/chain'
import {
  exportStatus,
  formatStatus,
  listQueueRows,
  listValidatorRows,
  readStatus,
} from '@affine/report'
import { type EpochResult, openChain, openLive, recompute, type Subnet } from '@affine/settlement'
import {
  formatTable,
  formatValue,
  maskUrls,
  type Output,
  output,
  printTable,
  readNames,
  whole,
  withChain,
} from '@affine/terminal'
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { createReplayCommand, prepareReplay } from './replay.ts'

/** Clears the screen of a terminal. */
const CLEAR = '\x1b[H\x1b[J'

const BLOCK = new Option(
  '--block [n]',
  'show the chain after this block (default: the newest) instead: neurons, stakes, commitments ' +
    'and weights',
)
  .argParser(whole(0, 2 ** 32 - 1))
  .conflicts(['watch', 'last'])

const EXAMPLES = `Examples:
  $ af status --network http://127.0.0.1:9944 --buckets buckets --watch
  $ af status --network finney --block
`

/** `af status`: shows the state of a subnet, from its public data. */
export const status: CommandUnknownOpts = createReplayCommand('status')
  .option('--watch', 'repeat after every block until Ctrl-C')
  .addOption(BLOCK)
  .addHelpText('before', EXAMPLES)
  .action(({ buckets, last, watch, block, ...options }) => {
    if (block !== undefined)
      return withChain(openChain, { firstEpoch: 0, ...options }, (subnet, screen) =>
        printBlock(subnet, block, screen),
      )
    if (!watch)
      return withChain(openChain, options, async (subnet, screen) => {
        const names = await readNames(options.network)
        await createView(await prepareReplay(subnet, { buckets, last }), names, screen)()
      })
    const onRetry = ({ message }: Error): void => {
      const text = maskUrls(message)
      output(options.json).line(`! ${formatValue(text)}`, { type: 'problem', message: text })
    }
    return withChain(openLive, { ...options, onRetry }, async (subnet, screen, signal) => {
      const isInPlace = process.stdout.isTTY && !options.json
      const replay = await prepareReplay(subnet, { buckets, last })
      const names = await readNames(options.network)
      const show = createView(replay, names, screen, isInPlace ? CLEAR : '')
      let shownBlock = -1
      for await (const { number } of subnet.chain.heads(signal)) {
        // Skips blocks if this is slower than the chain.
        if (number <= shownBlock) continue
        shownBlock = (await show().catch(onRetry)) ?? shownBlock
      }
    })
  })

/**
 * Returns a function that prints the current state of a subnet after the text `before`, with these
 * names of hotkeys, and resolves with its block.
 */
function createView(
  replay: Awaited<ReturnType<typeof prepareReplay>>,
  names: Awaited<ReturnType<typeof readNames>>,
  screen: Output,
  before = '',
): () => Promise<number> {
  let last: EpochResult | undefined
  return async () => {
    const from = last?.state ?? replay.from
    for await (const settled of recompute({ ...replay, from })) last = settled
    const found = await readStatus(replay, last?.state ?? from, last)
    process.stdout.write(before)
    const queue = listQueueRows(found, names)
    const validators = formatTable(listValidatorRows(found, names))
    const tables = [...validators, ...(queue.length > 0 ? ['', ...formatTable(queue)] : [])]
    screen.line([...formatStatus(found, names), ...tables].join('\n'), exportStatus(found))
    return found.block
  }
}

/** Prints the content of the chain after a block, one neuron a row. */
async function printBlock({ chain }: Subnet, choice: number | true, screen: Output): Promise<void> {
  const block = choice === true ? (await chain.head()).number : choice
  const { head, tempo, revealPeriod, neurons, commitments } = await chain.snapshot(block)
  const slots = new Map(commitments.map((slot) => [slot.hotkey, readSlot(slot)]))
  const weights = await chain.weights(block)
  const rows = neurons.map(({ uid, hotkey, stake, ...neuron }) => {
    const { block: committed, kind, says } = slots.get(hotkey) ?? {}
    const slotFields = { committed, kind, says, weights: weights[hotkey] }
    return { uid, hotkey, stakeTao: formatTao(stake), ...neuron, ...slotFields }
  })
  const { netuid } = chain
  const text = `subnet ${netuid} at the end of block ${head.number}`
  printTable(
    screen,
    { text, record: { type: 'block', netuid, ...head, tempo, revealPeriod } },
    rows,
  )
}
