import { type ChallengePair, type Episode, episodesIn, pairing, type Sample } from '@affine/blocks'
import type { PerSide } from '@affine/envs'
import { type EpisodeCourse, sampleCourse } from '@affine/report'
import type { EnvLanes, LostLine } from './epoch-accounts.ts'
import { evidenceOf, readAgain } from './evidence.ts'
import { flipIn, type Part } from './flip.ts'
import type { Step } from './proof-evidence.ts'
import { proofSteps } from './proof-steps.ts'
import type { SubnetReader } from './reader.ts'
import type { BlockPlace, SampleLine } from './sample-index.ts'

/** A sample as it was recorded, and its challenge as the champion and contenders played it. */
interface Shown extends BlockPlace, SampleLine {
  readonly sample: Sample
  readonly episodes: readonly Episode[]
  /**
   * Of a champion's episode one for each contender; of another sample one. None where the other
   * samples of its challenge are not known any more.
   */
  readonly pairs: readonly ShownPair[]
}

/** A pair, and the course of each side, where the environment is known here. */
export interface ShownPair extends ChallengePair {
  readonly courses: PerSide<EpisodeCourse | undefined>
}

/** What the page may ask. Every answer is made of plain values; what is not to be had rejects. */
export interface Answers {
  sample(line: SampleLine): Promise<Shown>
  /** The steps of a sample's proof, with one byte of that part changed. */
  proof(line: SampleLine, part: Part): Promise<readonly Step[]>
  /** What every lane saw of a duel, at the last look at each environment. */
  lanes(duelId: string): Promise<readonly EnvLanes[]>
  /** The challenges that each side of a duel lost, the last ones of each environment. */
  losses(duelId: string): Promise<PerSide<readonly LostLine[]>>
}

/** Answers from a subnet that is read, once it is open. */
export function answersOf(opened: () => Promise<SubnetReader>): Answers {
  return {
    sample: async (line) => sampleAt(await opened(), line),
    proof: async (line, part) => {
      const lane = await (await opened()).laneOf(line.block)
      return proofSteps(flipIn(await evidenceOf(line, lane), part))
    },
    lanes: async (duelId) => (await opened()).accounts.lanesOf(duelId),
    losses: async (duelId) => (await opened()).accounts.lossesOf(duelId),
  }
}

async function sampleAt(reader: SubnetReader, at: SampleLine): Promise<Shown> {
  const { validator, epoch, sample } = await readSampleAt(reader, at)
  const { block, line } = at
  const lines = reader.samples.linesOf(sample.challengeId)
  const isHere = (other: SampleLine): boolean => other.block === block && other.line === line
  const isChampions = lines.findIndex(isHere) === 0
  const shown = lines.filter((other, i) => i === 0 || isChampions || isHere(other))
  const read = await Promise.all(shown.map((other) => readSampleAt(reader, other)))
  const pairOf = pairing()
  const pairs = read.flatMap((each) => pairOf(each.sample) ?? []).map(withCourses)
  return { validator, epoch, block, line, sample, episodes: episodesIn(sample), pairs }
}

function withCourses(pair: ChallengePair): ShownPair {
  const champion = sampleCourse(pair, 'champion')
  return { ...pair, courses: { champion, contender: sampleCourse(pair, 'contender') } }
}

async function readSampleAt(
  reader: SubnetReader,
  { block, line }: SampleLine,
): Promise<BlockPlace & { readonly sample: Sample }> {
  const { sources, validator, epoch } = await reader.holdersOf(block)
  const sample = (await readAgain(block, sources)).samples[line]
  if (sample === undefined) throw new Error(`the block has no line ${line}`)
  return { validator, epoch, sample }
}
