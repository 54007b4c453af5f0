import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Sample } from '@affine/blocks'
import type { State } from '@affine/duel'
import { sampleText } from '@affine/report'
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
import type { Output } from '@affine/terminal'
import {
  beginLine,
  type EndRecord,
  endAfter,
  endLine,
  epochLine,
  noteLines,
  waitsText,
} from './lines.ts'

/** What to verify, and which part of it to show. */
export interface VerifyOptions {
  /** The folder or URL of the buckets that were announced by name. */
  readonly base?: string | undefined
  /** The first and last epoch to recompute; by default all that have ended. */
  readonly fromEpoch?: number
  readonly toEpoch?: number
  /** The only epoch to show. */
  readonly epoch?: number
  /** How many blocks are checked at once; by default as many as is useful. */
  readonly jobs?: number
  /** How many copies of each block are compared; by default all. */
  readonly copies?: number
  /** Is every sample shown? */
  readonly samples?: true
  /** The only sample to show, as `env#index`; the environment may come without its version. */
  readonly sample?: string
}

/** So many bytes are checked by one thread while others would still be starting. */
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
  screen.line(...beginLine(data, beginning.from, asked.copies))
  const { end, shown } = await sayEpochs({ ...data, ...beginning }, asked, screen)
  if (end === undefined || shown === 0) throw withFlaws(nothingFor(asked), end?.flaws ?? 0)
  const isAll = asked.copies === undefined
  screen.line(...endLine(end, isAll))
  if (end.flaws > 0) process.exitCode = 1
  else if (!isAll) process.exitCode = 3
}

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
  let end: EndRecord | undefined
  const isShown = (): boolean => (asked.epoch ?? epoch) === epoch
  const saySample = (sample: Sample, place: SamplePlace): void => {
    if (!isShown() || !isAsked(asked, sample)) return
    shown += 1
    screen.line(sampleText(sample, place), { type: 'sample', epoch, ...place, sample })
  }
  const onSample = asked.samples || asked.sample ? saySample : undefined
  try {
    for await (const settled of epochsOf({ ...data, onSample }, asked)) {
      end = endAfter(end, settled)
      if (isShown()) {
        const lines = epochLines(settled, asked)
        shown += lines.length
        for (const line of [...lines, ...noteLines(settled)]) screen.line(...line)
      }
      epoch = settled.state.epoch
    }
  } catch (error) {
    throw withFlaws(error as Error, end?.flaws ?? 0)
  }
  return { end, shown }
}

const epochLines = (settled: Recomputed, { sample }: VerifyOptions) =>
  sample === undefined ? [epochLine(settled)] : []

function nothingFor({ epoch, sample }: VerifyOptions): RangeError {
  if (sample === undefined) return new RangeError(`no epoch matches: ${epoch} was not recomputed`)
  return new RangeError(`no sample in a valid lane matches ${sample}`)
}

/** The epochs, recomputed with one thread per job; with one job, without threads. */
async function* epochsOf(
  data: RecomputeOptions,
  { jobs: wanted, toEpoch: to, copies }: VerifyOptions,
): AsyncGenerator<Recomputed, void> {
  const choose = copies === undefined ? undefined : drawing(copies)
  const jobs = wanted ?? availableParallelism()
  if (jobs === 1) return yield* recompute({ ...data, to, choose })
  await using threads = openThreads(jobs, wanted === undefined ? SHORT_BYTES : 0)
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
