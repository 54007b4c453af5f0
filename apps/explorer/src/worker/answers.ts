import {
  blockPath,
  type ChallengePair,
  createPairing,
  PROOF_BYTES,
  type Sample,
  toLine,
} from '@affine/blocks'
import type { PerSide } from '@affine/envs'
import { type EpisodeCourse, replaySide } from '@affine/report'
import { judgeProofFile } from '@affine/settlement'
import type { DuelDetails, SampleLine } from './epoch-accounts.ts'
import { collectEvidence, rereadBlock } from './evidence.ts'
import { explainSteps, proveSample, type Step, toProof } from './proof-steps.ts'
import type { SubnetReader } from './reader.ts'

/** A recorded sample, and its challenge as played by the champion and contenders. */
interface ShownSample {
  /** The validator and the epoch of its block. */
  readonly validator: string
  readonly epoch: number
  readonly sample: Sample
  /** URL of the block in its validator's bucket. Undefined if a page cannot open that bucket. */
  readonly url: string | undefined
  /** One pair for each contender if the sample is the champion's; otherwise one pair. */
  readonly pairs: readonly ShownPair[]
}

/** A pair, and the course of each side if the environment is registered. */
export interface ShownPair extends ChallengePair {
  readonly courses: PerSide<EpisodeCourse | undefined>
}

/** The proof of a sample. */
export interface ShownProof {
  readonly steps: readonly Step[]
  /** The proof as the text of a file. */
  readonly file: string
}

/** The verdict on a proof file. */
interface ShownProofFile {
  readonly name: string
  readonly steps: readonly Step[]
  /** The proved sample. Undefined if the file is not a proof. */
  readonly line: SampleLine | undefined
}

/** The questions that the page may ask. Answers are plain values. Unavailable data rejects. */
export interface Answers {
  sample(line: SampleLine): Promise<ShownSample>
  proof(line: SampleLine): Promise<ShownProof>
  proofFile(file: File): Promise<ShownProofFile>
  duel(id: string): Promise<DuelDetails>
}

/** Creates the answers from a subnet that may still be opening. */
export function createAnswers(opened: () => Promise<SubnetReader>): Answers {
  return {
    sample: async (line) => readSample(await opened(), line),
    proof: async (line) => {
      const lane = await (await opened()).findLane(line.block)
      const evidence = await collectEvidence(line, lane)
      return { steps: proveSample(evidence), file: toLine(toProof(evidence)) }
    },
    proofFile: async (file) => {
      const bytes = new Uint8Array(await file.slice(0, PROOF_BYTES + 1).arrayBuffer())
      const { steps, read } = await judgeProofFile(bytes, (await opened()).subnet)
      const line = read && { block: read.block, line: read.proof.index }
      return { name: file.name, steps: explainSteps(steps), line }
    },
    duel: async (id) => (await opened()).accounts.findDetails(id),
  }
}

async function readSample(reader: SubnetReader, { block, line }: SampleLine): Promise<ShownSample> {
  const { state, validator, checked, sources } = await reader.findLane(block)
  const samplesIn = async (hash: string | undefined): Promise<readonly Sample[]> =>
    hash === undefined ? [] : (await rereadBlock(hash, sources)).samples
  const own = await samplesIn(block)
  const sample = own[line]
  if (sample === undefined) throw new Error(`the block has no line ${line}`)
  // The samples of one challenge are consecutive, and may continue in the next block.
  const isOfIt = (other?: Sample): boolean => other?.challengeId === sample.challengeId
  const blocks = checked.ok ? checked.value.blocks : []
  const place = blocks.indexOf(block)
  const before = isOfIt(own[0]) ? await samplesIn(blocks[place + 1]) : []
  const after = isOfIt(own.at(-1)) ? await samplesIn(blocks[place - 1]) : []
  const played = [...before, ...own, ...after].filter(isOfIt)
  const isChampions = played[0] === sample
  const shown = played.filter((other, i) => i === 0 || isChampions || other === sample)
  const pairOf = createPairing()
  const pairs = shown.flatMap((other) => pairOf(other) ?? []).map(addCourses)
  const url = reader.urlOf(validator, blockPath(block))
  return { validator, epoch: state.epoch, sample, url, pairs }
}

function addCourses(pair: ChallengePair): ShownPair {
  const champion = replaySide(pair, 'champion')
  return { ...pair, courses: { champion, contender: replaySide(pair, 'contender') } }
}
