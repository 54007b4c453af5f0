import type { Output } from '@affine/terminal'
import { type EpochRange, readLines, readRange } from './epoch-range.ts'
import { Lines } from './lines.ts'
import { joinEnds } from './output-records.ts'
import type { BeginRecord } from './record.ts'
import type { Epochs } from './record-text.ts'

/**
 * Joins the results of runs over parts of the epochs, given in any order. Prints what one run over
 * all of them would print, and sets the same exit code. It trusts these files, and reads
 * nothing else.
 *
 * @throws RangeError unless they form one unbroken history from the network's first state on. It
 *   says what is wrong, and in which file. Rejects when a file cannot be read.
 */
export async function join(paths: readonly string[], screen: Output): Promise<void> {
  const ranges: EpochRange[] = []
  for (const path of paths) ranges.push(await readRange(path))
  ranges.sort((a, b) => a.begin.epoch - b.begin.epoch)
  checkHistory(ranges)
  const lines = new Lines(screen)
  for (const [i, { path }] of ranges.entries()) {
    for await (const { line } of readLines(path)) {
      if (line.type === 'begin' && i === 0) lines.add({ ...line, copies: leastOf(ranges) })
      if (line.type === 'epoch' || line.type === 'flaw' || line.type === 'warning') lines.add(line)
    }
  }
  lines.end(ranges.map(({ end }) => end).reduce(joinEnds), partlyIn(ranges))
}

/** The smallest number of copies that any of them compared. */
function leastOf(ranges: readonly EpochRange[]): BeginRecord['copies'] {
  const counts = ranges.flatMap(({ begin: { copies } }) => (copies === 'all' ? [] : [copies]))
  return counts.length === 0 ? 'all' : Math.min(...counts)
}

/** The epochs in which not all copies were compared; consecutive ranges are merged. */
function partlyIn(ranges: readonly EpochRange[]): readonly Epochs[] {
  const partly: Epochs[] = []
  for (const { begin, end } of ranges) {
    if (begin.copies === 'all') continue
    const before = partly.at(-1)
    const follows = before?.[1] === begin.epoch - 1
    if (follows) partly.pop()
    partly.push([follows ? before[0] : begin.epoch, end.epoch - 1])
  }
  return partly
}

/** @throws RangeError unless each range begins where the one before it ends. */
function checkHistory([first, ...others]: readonly EpochRange[]): void {
  if (first === undefined) throw new RangeError('"files" expected at least one')
  const { path, begin } = first
  if (begin.root !== begin.first)
    throw new RangeError(
      `${path}: begins with epoch ${begin.epoch}, not with the network's first: ` +
        'give the files of all earlier epochs too',
    )
  const champions = [...first.champions]
  let before = first
  for (const range of others) {
    checkNext(before, range)
    // There are fewer near the network's first epoch.
    const known = champions.slice(champions.length - range.begin.champions.length)
    if (known.join() !== range.begin.champions.join())
      throw new RangeError(
        `${range.path}: assumed other champions before it than the earlier files have`,
      )
    champions.push(...range.champions)
    before = range
  }
}

function checkNext({ path, begin, end }: EpochRange, next: EpochRange): void {
  const refuse = (what: string): never => {
    throw new RangeError(`${next.path}: ${what}`)
  }
  if (networkOf(begin) !== networkOf(next.begin)) refuse(`belongs to another network than ${path}`)
  const { epoch, root } = next.begin
  if (epoch > end.epoch) refuse(`begins with epoch ${epoch}: no file has epoch ${end.epoch}`)
  if (epoch < end.epoch) refuse(`begins with epoch ${epoch}, which ${path} also has`)
  if (root !== end.root)
    refuse(`begins with the state ${root} of epoch ${epoch}: ${path} ends with ${end.root}`)
}

const networkOf = ({ genesis, netuid, first }: BeginRecord): string =>
  `${genesis} ${netuid} ${first}`
