import {
  type Block,
  blockPath,
  type ChallengePair,
  createPairing,
  type Header,
  LIMITS,
  PROOF_BYTES,
  proveSample,
  readBlock,
  type Sample,
  toLine,
} from '@affine/blocks'
import { verify } from '@affine/chain'
import { replaySide } from '@affine/report'
import { askInTurn, judgeProofFile, type Source } from '@affine/settlement'
import type { SampleLine } from './epoch-accounts.ts'
import type { SubnetReader } from './reader.ts'

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
      const file = await proveLine(reader, line)
      const { steps } = await judgeProofFile(new TextEncoder().encode(file), reader.subnet)
      return { steps, file }
    },
    /** Resolves with the steps of verifying a proof file and, if readable, its sample's place. */
    proofFile: async (file: File) => {
      const bytes = new Uint8Array(await file.slice(0, PROOF_BYTES + 1).arrayBuffer())
      const { steps, read } = await judgeProofFile(bytes, (await opened()).subnet)
      return { steps, line: read && { block: read.block, line: read.proof.index } }
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

/** Both results of one challenge, with their courses if the environment is registered. */
export type ShownPair = ReturnType<typeof addCourses>

const addCourses = (pair: ChallengePair) => ({
  ...pair,
  courses: { champion: replaySide(pair, 'champion'), contender: replaySide(pair, 'contender') },
})

/** Resolves with a sample's proof as a line. Rejects if a block of its lane is unavailable. */
async function proveLine(reader: SubnetReader, { block, line }: SampleLine): Promise<string> {
  const { blocks, sources } = await reader.findLane(block)
  const after: Header[] = []
  // `blocks` begins with the lane's head.
  for (const later of blocks.slice(0, blocks.indexOf(block)).reverse())
    after.push((await rereadBlock(later, sources)).header)
  return toLine(proveSample(await rereadBlock(block, sources), line, after))
}

/** Reads a block again by its hash, from any of `sources`. Rejects if no source has it. */
async function rereadBlock(hash: string, sources: readonly Source[]): Promise<Block> {
  const ask = async ({ read }: Source): Promise<Block | null> => {
    const bytes = await read(blockPath(hash), LIMITS.blockBytes).catch(() => null)
    const block = bytes && readBlock(bytes, { hash, verify })
    return block?.ok ? block.value : null
  }
  const found = await askInTurn(sources, { ask })
  if (found === null) throw new Error(`no bucket has block ${hash}`)
  return found
}
