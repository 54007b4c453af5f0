import type { Output } from '@affine/terminal'
import { Lines } from './lines.ts'
import type { Begin, CopiesCompared, End } from './record.ts'
import type { Epochs } from './record-text.ts'
import { readLines, readStretch, type Stretch } from './stretch.ts'

/**
 * Says what a run in one piece says, of files in which runs of stretches said it, in any order; and
 * sets the exit code as that does. It believes those who ran them, and nobody else.
 *
 * @throws RangeError unless they form one unbroken history from the network's first state on: what
 *   is wrong, and in which file. Rejects when a file cannot be read.
 */
export async function join(paths: readonly string[], screen: Output): Promise<void> {
  const stretches: Stretch[] = []
  for (const path of paths) stretches.push(await readStretch(path))
  stretches.sort((a, b) => a.begin.epoch - b.begin.epoch)
  checkHistory(stretches)
  const lines = new Lines(screen)
  for (const [i, { path }] of stretches.entries()) {
    for await (const { line } of readLines(path)) {
      if (line.type === 'begin' && i === 0) lines.add({ ...line, copies: leastOf(stretches) })
      if (line.type === 'epoch' || line.type === 'flaw' || line.type === 'remark') lines.add(line)
    }
  }
  lines.end(endOf(stretches.map((stretch) => stretch.end)), partlyIn(stretches))
}

/** How many copies were compared in all of them. */
function leastOf(stretches: readonly Stretch[]): CopiesCompared {
  const counts = stretches.flatMap(({ begin: { copies } }) => (copies === 'all' ? [] : [copies]))
  return counts.length === 0 ? 'all' : Math.min(...counts)
}

/** The epochs in which not all copies were compared; those that follow one another as one. */
function partlyIn(stretches: readonly Stretch[]): readonly Epochs[] {
  const partly: Epochs[] = []
  for (const { begin, end } of stretches) {
    if (begin.copies === 'all') continue
    const before = partly.at(-1)
    const follows = before?.[1] === begin.epoch - 1
    if (follows) partly.pop()
    partly.push([follows ? before[0] : begin.epoch, end.epoch - 1])
  }
  return partly
}

/** @throws RangeError unless each stretch begins where the one before it ends. */
function checkHistory([first, ...others]: readonly Stretch[]): void {
  if (first === undefined) throw new RangeError('"files" expected at least one')
  const { path, begin } = first
  if (begin.root !== begin.first)
    throw new RangeError(
      `${path}: begins with epoch ${begin.epoch}, not with the network's first: ` +
        'give the files of all before',
    )
  const champions = [...first.champions]
  let before = first
  for (const stretch of others) {
    checkNext(before, stretch)
    // Of none before the network's first epoch.
    const known = champions.slice(champions.length - stretch.begin.champions.length)
    if (known.join() !== stretch.begin.champions.join())
      throw new RangeError(`${stretch.path}: believed other champions before it than there were`)
    champions.push(...stretch.champions)
    before = stretch
  }
}

function checkNext({ path, begin, end }: Stretch, next: Stretch): void {
  const refuse = (what: string): never => {
    throw new RangeError(`${next.path}: ${what}`)
  }
  if (networkOf(begin) !== networkOf(next.begin)) refuse(`is of another network than ${path}`)
  const { epoch, root } = next.begin
  if (epoch > end.epoch) refuse(`begins with epoch ${epoch}: nothing has epoch ${end.epoch}`)
  if (epoch < end.epoch) refuse(`begins with epoch ${epoch}, which ${path} has, too`)
  if (root !== end.root)
    refuse(`begins with the state ${root} of epoch ${epoch}: ${path} ends with ${end.root}`)
}

const networkOf = ({ genesis, netuid, first }: Begin): string => `${genesis} ${netuid} ${first}`

/** The end of all, where these are the ends of their stretches. */
function endOf(ends: readonly End[]): Omit<End, 'digest'> {
  const disagreed = new Map<string, number>()
  for (const [hotkey, epochs] of ends.flatMap((end) => Object.entries(end.disagreed))) {
    disagreed.set(hotkey, (disagreed.get(hotkey) ?? 0) + epochs)
  }
  const { digest, ...last } = ends.at(-1) as End
  const sum = (key: 'remarks' | 'flaws') => ends.reduce((total, end) => total + end[key], 0)
  return {
    ...last,
    disagreed: Object.fromEntries(disagreed),
    remarks: sum('remarks'),
    flaws: sum('flaws'),
  }
}
