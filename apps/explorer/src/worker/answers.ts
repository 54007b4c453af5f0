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
import type { SampleLine } from './epoch-accounts.ts'
import { proveLine, rereadBlock } from './evidence.ts'
import { explainSteps } from './proof-steps.ts'
import type { SubnetReader } from './reader.ts'

/** Both results of one challenge, with their courses if the environment is registered. */
export interface ShownPair extends ChallengePair {
  readonly courses: PerSide<EpisodeCourse | undefined>
}

/** The answers to the questions that the page may ask. */
export type Answers = ReturnType<typeof createAnswers>

/**
 * Creates the answers from a subnet that may still be opening. Each resolves with a plain value, or
 * rejects if its data is unavailable.
 */
export function createAnswers(opened: () => Promise<SubnetReader>) {
  return {
    sample: async (line: SampleLine) => readSample(await opened(), line),
    /** Resolves with a sample's proof as the text of a file, and the steps of verifying it. */
    proof: async (line: SampleLine) => {
      const reader = await opened()
      const file = toLine(await proveLine(line, await reader.findLane(line.block)))
      const { steps } = await judgeProofFile(new TextEncoder().encode(file), reader.subnet)
      return { steps: explainSteps(steps), file }
    },
    /** Resolves with the steps of verifying a proof file, and its sample if the file is a proof. */
    proofFile: async (file: File) => {
      const bytes = new Uint8Array(await file.slice(0, PROOF_BYTES + 1).arrayBuffer())
      const { steps, read } = await judgeProofFile(bytes, (await opened()).subnet)
      const line = read && { block: read.block, line: read.proof.index }
      return { steps: explainSteps(steps), line }
    },
    duel: async (id: string) => (await opened()).accounts.findDetails(id),
  }
}

/**
 * Resolves with a sample, the validator and the epoch of its block, and its challenge in pairs: one
 * for each contender if the sample is the champion's, otherwise one. `url` is the block's, and
 * undefined if a page cannot open the bucket of the validator.
 */
async function readSample(reader: SubnetReader, { block, line }: SampleLine) {
  const { state, validator, blocks, sources } = await reader.findLane(block)
  const samplesIn = async (hash: string | undefined): Promise<readonly Sample[]> =>
    hash === undefined ? [] : (await rereadBlock(hash, sources)).samples
  const own = await samplesIn(block)
  const sample = own[line]
  if (sample === undefined) throw new Error(`the block has no line ${line}`)
  // The samples of one challenge are consecutive, and may continue in the next block.
  const isSameChallenge = (other?: Sample): boolean => other?.challengeId === sample.challengeId
  const place = blocks.indexOf(block)
  const before = isSameChallenge(own[0]) ? await samplesIn(blocks[place + 1]) : []
  const after = isSameChallenge(own.at(-1)) ? await samplesIn(blocks[place - 1]) : []
  const played = [...before, ...own, ...after].filter(isSameChallenge)
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
