import type { Hash } from '@affine/prng'
import { NODE_HOST } from '@affine/settlement/node'
import { digestAfter } from './lines.ts'
import { type Begin, type End, type Line, parseLine } from './record.ts'

/** What a run found of some epochs, one after the other, as a file has it. */
export interface Stretch {
  readonly path: string
  readonly begin: Begin
  readonly end: End
  /** Of its epochs. */
  readonly champions: readonly (string | null)[]
}

/** A line of a file, and where it is, for a fault. */
interface Placed {
  readonly line: Line
  readonly text: string
  readonly place: string
}

/**
 * The lines of a file that `--json` wrote.
 * @throws RangeError that names the first which is none. Rejects when the file cannot be read.
 */
export async function* readLines(path: string): AsyncGenerator<Placed, void> {
  const texts = (await NODE_HOST.readText(path)).split('\n')
  if (texts.at(-1) === '') texts.pop()
  for (const [i, text] of texts.entries()) {
    const place = `${path}, line ${i + 1}`
    const read = parseLine(text)
    if (!read.ok) throw new RangeError(`${place}: ${read.detail}`)
    yield { line: read.value, text, place }
  }
}

/**
 * Reads what a run found. The lines are those which the run wrote, and all of them, unless somebody
 * went to the length of making them up.
 * @throws RangeError that says what is wrong, and where. Rejects when the file cannot be read.
 */
export async function readStretch(path: string): Promise<Stretch> {
  let digest: Hash = ''
  let reader: Reader | undefined
  for await (const placed of readLines(path)) {
    const { line, text, place } = placed
    if (reader === undefined) {
      if (line.type !== 'begin')
        throw new RangeError(`${place}: expected what a run begins with, got ${line.type}`)
      reader = new Reader(path, line)
    } else reader.add(placed)
    if (line.type === 'end' && digestAfter(digest, withoutDigest(text)) !== line.digest)
      throw new RangeError(`${place}: the lines before it, or itself, are not as they were written`)
    digest = digestAfter(digest, text)
  }
  if (reader === undefined) throw new RangeError(`${path} is empty: verify its epochs again`)
  return reader.stretch
}

/** As it was when the digest was made. */
const withoutDigest = (text: string): string => text.replace(/,"digest":"[0-9a-f]{64}"\}$/, '}')

/** Takes the lines after the first, and checks that they are of one epoch after the other. */
class Reader {
  readonly #path: string
  readonly #begin: Begin
  readonly #champions: (string | null)[] = []
  readonly #notes = { flaw: 0, remark: 0 }
  #root: Hash
  #end: End | undefined

  constructor(path: string, begin: Begin) {
    this.#path = path
    this.#begin = begin
    this.#root = begin.root
  }

  /** The epoch after those that were read. */
  get #next(): number {
    return this.#begin.epoch + this.#champions.length
  }

  /** @throws RangeError when the line has no business where it is. */
  add({ line, place }: Placed): void {
    const refuse = (expected: string): never => {
      throw new RangeError(`${place}: expected ${expected}`)
    }
    if (this.#end) refuse('nothing after the end')
    if (line.type === 'begin') refuse('one beginning')
    else if (line.type === 'end') this.#addEnd(line, refuse)
    else if (line.type === 'epoch') {
      if (line.epoch !== this.#next) refuse(`epoch ${this.#next}, got ${line.epoch}`)
      this.#root = line.root
      this.#champions.push(line.champion)
    } else {
      if (line.epoch !== this.#next - 1) refuse(`a ${line.type} of epoch ${this.#next - 1}`)
      this.#notes[line.type]++
    }
  }

  #addEnd(end: End, refuse: (expected: string) => never): void {
    const { flaw, remark } = this.#notes
    if (end.epoch !== this.#next) refuse(`the end before epoch ${this.#next}, got ${end.epoch}`)
    if (end.root !== this.#root) refuse(`the root of the last epoch, ${this.#root}`)
    if (end.flaws !== flaw || end.remarks !== remark) refuse(`${flaw} flaws, ${remark} remarks`)
    this.#end = end
  }

  /** @throws RangeError without an end. */
  get stretch(): Stretch {
    const [path, begin, end, champions] = [this.#path, this.#begin, this.#end, this.#champions]
    if (end) return { path, begin, end, champions }
    throw new RangeError(`${path} has no end, its run was cut short: verify its epochs again`)
  }
}
