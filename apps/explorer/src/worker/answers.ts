import type { Sample } from '@affine/blocks'
import { registry } from '@affine/envs'
import {
  courseOf,
  type EpisodeCourse,
  type PlayedReplies,
  SIDES,
  sampleCourse,
} from '@affine/report'
import { evidenceOf, readAgain } from './evidence.ts'
import { flipIn, type Part } from './flip.ts'
import type { Step } from './proof-evidence.ts'
import { proofSteps } from './proof-steps.ts'
import type { SubnetReader } from './reader.ts'
import type { BlockPlace, LaneLine, Met, SampleLine } from './sample-index.ts'

/** A sample as it was recorded, and each side's course, where the environment is known here. */
export interface Shown extends BlockPlace, SampleLine {
  readonly sample: Sample
  readonly champion: EpisodeCourse | undefined
  readonly contender: EpisodeCourse | undefined
}

/** What the page may ask. Every answer is made of plain values; what is not to be had rejects. */
export interface Answers {
  /** Where the samples of a challenge are that were met. */
  linesOf(challengeId: string): Promise<readonly LaneLine[]>
  sample(line: SampleLine): Promise<Shown>
  /** The steps of a sample's proof, with one byte of that part changed. */
  proof(line: SampleLine, part: Part): Promise<readonly Step[]>
  /** An episode from its beginning, in one environment. */
  course(played: PlayedReplies): Promise<EpisodeCourse | undefined>
  /** A challenge id in each environment there is: it does not say of which it is. */
  courses(challengeId: string): Promise<readonly EpisodeCourse[]>
  /** The samples of an environment that were met last. */
  recent(env: string): Promise<readonly Met[]>
}

/** Answers from a subnet that is read, once it is open. */
export function answersOf(opened: () => Promise<SubnetReader>): Answers {
  return {
    linesOf: async (challengeId) => (await opened()).samples.linesOf(challengeId),
    sample: async (line) => sampleAt(await opened(), line),
    proof: async (line, part) => {
      const lane = await (await opened()).laneOf(line.block)
      return proofSteps(flipIn(await evidenceOf(line, lane), part))
    },
    course: async (played) => courseOf(played),
    courses: async (challengeId) =>
      [...registry.keys()].flatMap((env) => courseOf({ env, challengeId, replies: [] }) ?? []),
    recent: async (env) => (await opened()).samples.recent(env),
  }
}

async function sampleAt(reader: SubnetReader, { block, line }: SampleLine): Promise<Shown> {
  const { sources, validator, epoch } = await reader.holdersOf(block)
  const sample = (await readAgain(block, sources)).samples[line]
  if (sample === undefined) throw new Error(`the block has no line ${line}`)
  const [champion, contender] = SIDES.map((side) => sampleCourse(sample, side))
  return { validator, epoch, block, line, sample, champion, contender }
}
