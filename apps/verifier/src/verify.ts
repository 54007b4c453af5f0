import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Sample } from '@affine/blocks'
import { sampleText } from '@affine/report'
import {
  beginningAt,
  type Choose,
  type OpenBucket,
  type Recomputed,
  type RecomputeOptions,
  recompute,
  type SamplePlace,
  type Subnet,
} from '@affine/settlement'
import { expectBuckets, openBucket, openThreads } from '@affine/settlement/node'
import type { Output } from '@affine/terminal'
import { Lines } from './lines.ts'
import { beginOf, type Ended, endAfter, epochOf, notesOf } from './output-records.ts'
import type { Epochs } from './record-text.ts'
import { voidsIn, whyOf } from './void-lanes.ts'

/** What is to be verified, and what of it is to be shown. */
export interface Asked extends Partial<Record<(typeof FILTERS)[number], string>> {
  /** Where the buckets are that were announced by name. */
  readonly base?: string | undefined
  /** The first and the last to recompute; without, the network's first and the last that ended. */
  readonly fromEpoch?: number
  readonly toEpoch?: number
  /** The one to show. */
  readonly epoch?: number
  /** How many blocks are checked at a time; without, as many as pays. */
  readonly jobs?: number
  /** How many copies of each block are compared; all without. */
  readonly copies?: number
}

const FILTERS = ['validator', 'block', 'challenge', 'sample'] as const

/** What one thread checks while others would start. */
const SHORT_BYTES = 2 ** 24

type Said = readonly [sample: Sample, place: SamplePlace]

/** A sample as `Lines.say` takes it. */
type SampleLine = readonly [text: string, record: object]

/**
 * Recomputes a subnet, says what each epoch came to and what does not hold, and sets the exit code.
 * @throws Error when there is no epoch, or none of what was asked for.
 */
export async function verify(subnet: Subnet, asked: Asked, screen: Output): Promise<void> {
  const { base } = asked
  const open: OpenBucket = (hotkey, url) => openBucket(hotkey, url, { base })
  const data = { ...subnet, openBucket: open }
  await expectBuckets(subnet, base)
  const beginning = await beginningAt(data, asked.fromEpoch ?? subnet.network.firstEpoch)
  const samples: SampleLine[] | undefined = searchOf(asked) === undefined ? undefined : []
  const onSample = samples && ((...said: Said) => void samples.push(...sampleLines(asked, said)))
  const lines = new Lines(screen)
  lines.add(beginOf(subnet, beginning, asked.copies ?? 'all'))
  const voids: string[] = []
  let shown = 0
  let end: Ended | undefined
  for await (const settled of epochsOf({ ...data, ...beginning, onSample }, asked)) {
    end = endAfter(end, settled)
    voids.push(...voidsIn(settled))
    const found = samples?.splice(0)
    const isShown = asked.epoch === undefined || asked.epoch === settled.epoch
    if (isShown) shown += sayEpoch(lines, settled, found)
  }
  if (end === undefined || shown === 0) throw nothingFor(asked, voids)
  const all: Epochs = [beginning.from.epoch, end.epoch - 1]
  lines.end(end, asked.copies === undefined ? [] : [all])
}

const searchOf = ({ block, challenge, sample }: Asked): string | undefined =>
  block ?? challenge ?? sample

function nothingFor(asked: Asked, voids: readonly string[]): Error {
  const search = searchOf(asked)
  if (search === undefined) return new Error(`nothing matches epoch ${asked.epoch}`)
  return new Error(`nothing matches ${search}${whyOf(voids)}`)
}

/** Says what an epoch came to, or the samples found in it; how much that was, without its notes. */
function sayEpoch(
  lines: Lines,
  settled: Recomputed,
  samples: readonly SampleLine[] | undefined,
): number {
  if (samples === undefined) lines.add(epochOf(settled))
  for (const [text, record] of samples ?? []) lines.say(text, record)
  for (const note of notesOf(settled)) lines.add(note)
  return samples?.length ?? 1
}

/** The epochs, recomputed in as many threads as there are jobs; in none if there is one job. */
async function* epochsOf(
  data: RecomputeOptions,
  { jobs: wanted, toEpoch: to, copies }: Asked,
): AsyncGenerator<Recomputed, void> {
  const choose = copies === undefined ? undefined : drawing(copies)
  const jobs = wanted ?? availableParallelism()
  if (jobs === 1) return yield* recompute({ ...data, to, choose })
  await using threads = openThreads(jobs, wanted === undefined ? SHORT_BYTES : 0)
  yield* recompute({ ...data, to, choose, ...threads })
}

/** Draws so many holders, others each time: nobody can know which copies are looked at. */
function drawing(most: number): Choose | null {
  if (most === 0) return null
  return (holders) => {
    const left = [...holders]
    const draw = () => left.splice(randomInt(left.length), 1)
    return Array.from({ length: Math.min(most, left.length) }, draw).flat()
  }
}

/** Is it what was asked for, if anything was? An environment may lack its version. */
function isFor(asked: string | undefined, here: string): boolean {
  const [env = '', index] = here.split('#')
  const short = `${env.split('@')[0]}#${index}`
  return asked === undefined || asked === here || asked === short
}

/** The sample as it is shown, if it is asked for: `validator` alone narrows what others ask for. */
function sampleLines(asked: Asked, [sample, place]: Said): readonly SampleLine[] {
  const here = {
    ...place,
    challenge: sample.challengeId,
    sample: `${sample.env}#${sample.index}`,
  }
  const isAsked = FILTERS.every((name) => isFor(asked[name], here[name]))
  return isAsked ? [[sampleText(sample, place), { type: 'sample', ...place, sample }]] : []
}
