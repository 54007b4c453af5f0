import { type ChallengePair, type Episode, episodesIn, pairing, type Sample } from '@affine/blocks'
import type { PerSide } from '@affine/envs'
import { type EpisodeCourse, replaySide } from '@affine/report'
import type { EnvLanes, LostLine, SampleLine } from './epoch-accounts.ts'
import { collectEvidence, rereadBlock } from './evidence.ts'
import { flipPart, type Part } from './flip.ts'
import { proveSample, type Step } from './proof-steps.ts'
import type { SubnetReader } from './reader.ts'

/** A sample as it was recorded, and its challenge as the champion and contenders played it. */
interface ShownSample {
  /** Whose block it is in, and of which epoch. */
  readonly validator: string
  readonly epoch: number
  readonly sample: Sample
  readonly episodes: readonly Episode[]
  /** Of a champion's episode one for each contender; of another sample one. */
  readonly pairs: readonly ShownPair[]
}

/** A pair, and the course of each side, where the environment is known here. */
export interface ShownPair extends ChallengePair {
  readonly courses: PerSide<EpisodeCourse | undefined>
}

/** What the page may ask. Every answer is made of plain values; what is not to be had rejects. */
export interface Answers {
  sample(line: SampleLine): Promise<ShownSample>
  /** The steps of a sample's proof, with one byte of that part changed. */
  proof(line: SampleLine, part: Part): Promise<readonly Step[]>
  /** What every lane saw of a duel, at the last look at each environment. */
  lanes(duelId: string): Promise<readonly EnvLanes[]>
  /** The challenges that each side of a duel lost, the last ones of each environment. */
  losses(duelId: string): Promise<PerSide<readonly LostLine[]>>
}

/** Answers from a subnet that is read, once it is open. */
export function createAnswers(opened: () => Promise<SubnetReader>): Answers {
  return {
    sample: async (line) => readSample(await opened(), line),
    proof: async (line, part) => {
      const lane = await (await opened()).findLane(line.block)
      return proveSample(flipPart(await collectEvidence(line, lane), part))
    },
    lanes: async (duelId) => (await opened()).accounts.findLanes(duelId),
    losses: async (duelId) => (await opened()).accounts.findLosses(duelId),
  }
}

async function readSample(reader: SubnetReader, { block, line }: SampleLine): Promise<ShownSample> {
  const { state, validator, checked, sources } = await reader.findLane(block)
  const samplesIn = async (hash: string | undefined): Promise<readonly Sample[]> =>
    hash === undefined ? [] : (await rereadBlock(hash, sources)).samples
  const own = await samplesIn(block)
  const sample = own[line]
  if (sample === undefined) throw new Error(`the block has no line ${line}`)
  // Those of one challenge follow each other, maybe from one block into the next.
  const isOfIt = (other?: Sample): boolean => other?.challengeId === sample.challengeId
  const blocks = checked.ok ? checked.value.blocks : []
  const place = blocks.indexOf(block)
  const before = isOfIt(own[0]) ? await samplesIn(blocks[place + 1]) : []
  const after = isOfIt(own.at(-1)) ? await samplesIn(blocks[place - 1]) : []
  const played = [...before, ...own, ...after].filter(isOfIt)
  const isChampions = played[0] === sample
  const shown = played.filter((other, i) => i === 0 || isChampions || other === sample)
  const pairOf = pairing()
  const pairs = shown.flatMap((other) => pairOf(other) ?? []).map(addCourses)
  return { validator, epoch: state.epoch, sample, episodes: episodesIn(sample), pairs }
}

function addCourses(pair: ChallengePair): ShownPair {
  const champion = replaySide(pair, 'champion')
  return { ...pair, courses: { champion, contender: replaySide(pair, 'contender') } }
}
