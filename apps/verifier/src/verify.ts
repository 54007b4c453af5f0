import { randomInt } from 'node:crypto'
import { createReadStream, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Sample } from '@affine/blocks'
import { type State, stateRoot } from '@affine/duel'
import {
  epochFacts,
  epochRecord,
  epochText,
  findingLine,
  type Line,
  type NameOf,
  naming,
  sampleText,
  toJson,
  uncountedCause,
  uncountedText,
  type Verification,
  verificationAfter,
  verificationLines,
  waitsText,
} from '@affine/report'
import {
  beginningAt,
  type Choose,
  type Recomputed,
  type RecomputeOptions,
  recompute,
  type SamplePlace,
  type Subnet,
  type Waits,
} from '@affine/settlement'
import { bucketsIn, expectBuckets, openThreads } from '@affine/settlement/node'
import { type Output, printable } from '@affine/terminal'

/** What to verify, and which part of it to show. */
export interface VerifyOptions {
  /** The folder or URL of the buckets that were announced by name. */
  readonly base?: string | undefined
  /** The first and last epoch to recompute; by default all that have ended. */
  readonly fromEpoch?: number
  readonly toEpoch?: number
  /** The only epoch to show. */
  readonly epoch?: number
  /** Maximum blocks checked at once. Default: the processors of this machine. */
  readonly jobs?: number
  /** How many copies of each block are compared; by default all. */
  readonly copies?: number
  /** Is every sample shown? */
  readonly samples?: true
  /** Names of hotkeys, for display. */
  readonly names?: Readonly<Record<string, string>>
  /** The only sample to show, as `env#index`; the environment may come without its version. */
  readonly sample?: string
}

/** The bytes that one thread checks while others would still be starting. */
const SHORT_BYTES = 2 ** 24

/**
 * Recomputes a subnet, prints the result of each epoch and what does not hold, and sets the exit
 * code.
 * @throws RangeError when there is no epoch to show, or no sample matches.
 */
export async function verify(subnet: Subnet, asked: VerifyOptions, screen: Output): Promise<void> {
  const { base } = asked
  // On standard error, as it is no part of what was found.
  const onWaits = (waits: Waits): void => {
    const text = waitsText(waits)
    if (text !== undefined) process.stderr.write(`${text}\n`)
  }
  const data = { ...subnet, openBucket: bucketsIn(base), onWaits }
  await expectBuckets(data, base)
  const beginning = await beginningAt(data, asked.fromEpoch ?? data.network.firstEpoch)
  screen.line(...beginLine(data, beginning.from, asked))
  const { end, shown } = await sayEpochs({ ...data, ...beginning }, asked, screen)
  if (end === undefined || shown === 0) throw withFlaws(nothingFor(asked), end?.flaws ?? 0)
  screen.line(verificationLines(end, namesIn(asked)), { type: 'end', ...end })
  if (end.conclusion === 'FLAWED') process.exitCode = 1
  if (end.conclusion === 'COMPARED_HOLDS') process.exitCode = 3
}

/** Names hotkeys in full where a reader may have to look for them. */
const namesIn = ({ names = {} }: VerifyOptions): NameOf => naming(names, (key) => printable(key))

/**
 * Recomputes the epochs and prints those that are asked for, or only the samples in them. Resolves
 * with how many of these were `shown`, and the end, if there was an epoch.
 */
async function sayEpochs(
  data: RecomputeOptions & { readonly from: State },
  asked: VerifyOptions,
  screen: Output,
) {
  let { epoch } = data.from
  let shown = 0
  let end: Verification | undefined
  const uncompared = asked.copies === undefined ? 'NONE' : 'SOME'
  const isShown = (): boolean => (asked.epoch ?? epoch) === epoch
  const samples = new SpilledSamples()
  const addSample = (sample: Sample, place: SamplePlace): void => {
    if (isShown() && isAsked(asked, sample)) samples.add(sample, place)
  }
  const onSample = asked.samples || asked.sample ? addSample : undefined
  try {
    for await (const settled of epochsOf({ ...data, onSample }, asked)) {
      end = verificationAfter(end, settled, uncompared)
      if (isShown()) shown += await sayEpoch(settled, asked, { samples, screen })
      epoch = settled.state.epoch
    }
  } catch (error) {
    throw withFlaws(error as Error, end?.flaws ?? 0)
  }
  return { end, shown }
}

/** Prints an epoch after its samples. Resolves with how many were printed of what was asked for. */
async function sayEpoch(
  settled: Recomputed,
  asked: VerifyOptions,
  { samples, screen }: { readonly samples: SpilledSamples; readonly screen: Output },
): Promise<number> {
  const shown = await saySamples(samples, settled, screen)
  const lines = epochLines(settled, asked)
  for (const line of [...lines, ...findingLines(settled, namesIn(asked))]) screen.line(...line)
  return shown + lines.length
}

/** Prints the samples of an epoch, and resolves with their count. */
async function saySamples(
  samples: SpilledSamples,
  settled: Recomputed,
  screen: Output,
): Promise<number> {
  const { epoch } = settled
  let count = 0
  for await (const [sample, place] of samples.take()) {
    const why = uncountedCause(settled, sample, place)
    const text = sampleText(sample, place) + uncountedText(why)
    const use = { counts: why === undefined, why }
    screen.line(text, { type: 'sample', epoch, ...place, ...use, sample })
    count += 1
  }
  return count
}

function epochLines(
  settled: Recomputed,
  { sample, names = {} }: VerifyOptions,
): readonly OutputLine[] {
  if (sample !== undefined) return []
  return [[epochText(epochFacts(settled), naming(names)), epochRecord(settled)]]
}

function nothingFor({ epoch, sample }: VerifyOptions): RangeError {
  if (sample === undefined) return new RangeError(`no epoch matches: ${epoch} was not recomputed`)
  return new RangeError(`no sample in a valid lane matches ${sample}`)
}

/** The epochs, recomputed with one thread per job; with one job, without threads. */
async function* epochsOf(
  data: RecomputeOptions,
  { jobs = availableParallelism(), toEpoch: to, copies }: VerifyOptions,
): AsyncGenerator<Recomputed, void> {
  const choose = copies === undefined ? undefined : drawing(copies)
  if (jobs === 1) return yield* recompute({ ...data, to, choose })
  await using threads = openThreads(jobs, SHORT_BYTES)
  yield* recompute({ ...data, to, choose, ...threads })
}

/** Is it the sample that was asked for, if one was? */
function isAsked({ sample: asked }: VerifyOptions, { env, index }: Sample): boolean {
  const names = [`${env}#${index}`, `${env.split('@')[0]}#${index}`]
  return asked === undefined || names.includes(asked)
}

/** Draws holders at random each time, so that nobody knows which copies will be compared. */
function drawing(most: number): Choose {
  return (holders) => {
    const left = [...holders]
    const draw = () => left.splice(randomInt(left.length), 1)
    return Array.from({ length: Math.min(most, left.length) }, draw).flat()
  }
}

/** Returns an error that ends a run. If something did not hold before, this sets the exit code. */
function withFlaws(error: Error, flaws: number): Error {
  if (flaws > 0) process.exitCode = 1
  return error
}

/** Lines of the output: for people, and what `--json` prints instead. */
type OutputLine = readonly [lines: string | readonly Line[], record: object]

/** The state that a run begins with, and how many copies of each block it compares. */
function beginLine(
  { chain, network }: Subnet,
  from: State,
  { copies, names }: { readonly copies?: number; readonly names?: object },
): OutputLine {
  const [epoch, root] = [from.epoch, stateRoot(from)]
  const state = epoch === network.firstEpoch ? "the network's first state" : 'the attested state'
  const compared = copies === undefined ? '' : `, comparing at most ${copies} copies of each block`
  const { genesis, netuid } = chain
  return [
    `begins with epoch ${epoch} and ${state} ${root}${compared}`,
    { type: 'begin', epoch, root, genesis, netuid, copies: copies ?? 'all', names },
  ]
}

/** What does not hold in an epoch, then what is reported although no data is wrong. */
function findingLines({ flaws, warnings }: Recomputed, nameOf: NameOf): readonly OutputLine[] {
  const all = [
    ...flaws.map((flaw) => ({ type: 'flaw', tone: 'bad', finding: flaw }) as const),
    ...warnings.map((finding) => ({ type: 'warning', tone: 'warning', finding }) as const),
  ]
  return all.map(({ type, tone, finding }) => [
    [findingLine(finding, tone, nameOf)],
    { type, ...finding },
  ])
}

/**
 * The samples of one epoch, in a temporary file until its end: only then is known which of them
 * count, and they may not fit into memory.
 */
class SpilledSamples {
  #file: number | undefined

  add(sample: Sample, place: SamplePlace): void {
    this.#file ??= openTemporary()
    writeSync(this.#file, `${toJson([sample, place])}\n`)
  }

  /** Yields the samples in the order in which they were added, and forgets them. */
  async *take(): AsyncGenerator<readonly [sample: Sample, place: SamplePlace], void> {
    if (this.#file === undefined) return
    const input = createReadStream('', { fd: this.#file, start: 0, autoClose: false })
    for await (const line of createInterface({ input })) yield JSON.parse(line)
    ftruncateSync(this.#file)
  }
}

/** Opens a file that has no name any more, so that it is gone when the process ends. */
function openTemporary(): number {
  const folder = mkdtempSync(join(tmpdir(), 'af-verify-'))
  const file = openSync(join(folder, 'samples.jsonl'), 'a+')
  rmSync(folder, { recursive: true })
  return file
}
