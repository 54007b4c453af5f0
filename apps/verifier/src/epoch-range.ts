import type { Hash } from '@affine/prng'
import { NODE_HOST } from '@affine/settlement/node'
import { readNamed } from '@affine/terminal'
import { digestAfter } from './lines.ts'
import type { OpenEnd } from './output-records.ts'
import { type BeginRecord, type OutputRecord, parseLine } from './record.ts'

/** The results of a run over consecutive epochs, as read from a file. */
export interface EpochRange {
  readonly path: string
  readonly begin: BeginRecord
  readonly end: OpenEnd
  /** The champion of each epoch. */
  readonly champions: readonly (string | null)[]
}

/** A line of a file, and where it is, for a fault. */
interface PlacedLine {
  readonly line: OutputRecord
  readonly text: string
  readonly place: string
}

/**
 * The lines of a file that `--json` wrote.
 * @throws RangeError that names the first line that is not valid. Rejects when the file cannot be
 *   read.
 */
export async function* readLines(path: string): AsyncGenerator<PlacedLine, void> {
  const texts = (await readNamed(NODE_HOST.readText(path))).split('\n')
  if (texts.at(-1) === '') texts.pop()
  for (const [i, text] of texts.entries()) {
    const place = `${path}, line ${i + 1}`
    const read = parseLine(text)
    if (!read.ok) throw new RangeError(`${place} is no record of a run with --json: ${read.detail}`)
    yield { line: read.value, text, place }
  }
}

/**
 * Reads the results of a run. The digest shows that the lines are complete and unchanged. It does
 * not show that a run wrote them, as anyone can compute it.
 * @throws RangeError that says what is wrong, and where. Rejects when the file cannot be read.
 */
export async function readRange(path: string): Promise<EpochRange> {
  let digest: Hash = ''
  let read: RangeSoFar | undefined
  for await (const placed of readLines(path)) {
    const { line, text, place } = placed
    if (read !== undefined) addLine(read, placed)
    else if (line.type === 'begin') read = beginRange(line)
    else throw new RangeError(`${place}: expected the first line of a run, got ${line.type}`)
    if (line.type === 'end' && digestAfter(digest, withoutDigest(text)) !== line.digest)
      throw new RangeError(`${place}: this line or one before it was changed`)
    digest = digestAfter(digest, text)
  }
  if (read === undefined) throw new RangeError(`${path} is empty: verify these epochs again`)
  const { begin, end, champions } = read
  if (end) return { path, begin, end, champions }
  throw new RangeError(`${path} has no end, so its run was cut short: verify these epochs again`)
}

/** The line as it was when its digest was computed. */
const withoutDigest = (text: string): string => text.replace(/,"digest":"[0-9a-f]{64}"\}$/, '}')

/** What was read of a file so far. */
interface RangeSoFar {
  readonly begin: BeginRecord
  readonly champions: (string | null)[]
  readonly flaw: { count: number }
  readonly warning: { count: number }
  /** The root of the state after the last epoch. */
  root: Hash
  end?: OpenEnd
}

const beginRange = (begin: BeginRecord): RangeSoFar => ({
  begin,
  champions: [],
  flaw: { count: 0 },
  warning: { count: 0 },
  root: begin.root,
})

/** @throws RangeError when the line cannot follow the lines before it. */
function addLine(read: RangeSoFar, { line, place }: PlacedLine): void {
  const next = read.begin.epoch + read.champions.length
  const expect = (holds: boolean, expected: string): void => {
    if (!holds) throw new RangeError(`${place}: expected ${expected}`)
  }
  expect(read.end === undefined, 'no line after the end')
  switch (line.type) {
    case 'begin':
      expect(false, 'only one beginning')
      return
    case 'epoch':
      expect(line.epoch === next, `epoch ${next}, got ${line.epoch}`)
      read.root = line.root
      read.champions.push(line.champion)
      return
    case 'end': {
      const [flaws, warnings] = [read.flaw.count, read.warning.count]
      const isCounted = line.flaws === flaws && line.warnings === warnings
      expect(line.epoch === next, `the end before epoch ${next}, got ${line.epoch}`)
      expect(line.root === read.root, `the root of the last epoch, ${read.root}`)
      expect(isCounted, `${flaws} flaws, ${warnings} warnings`)
      const { digest: _, ...end } = line
      read.end = end
      return
    }
    default:
      expect(line.epoch === next - 1, `a ${line.type} of epoch ${next - 1}`)
      read[line.type].count += 1
  }
}
