import { type Account, account } from '../../packages/chain/src/index.ts'
import { LOCAL, type Protocol } from '../../packages/duel/src/index.ts'
import { MULT8, withQuota } from '../../packages/duel/test/subnet.ts'
import type { Generator } from '../../packages/prng/src/index.ts'
import { bytesOf, fewOf, pick, streamOf } from './draw.ts'

/** Short epochs and small quotas, so that a duel takes few of them. */
const SMALL: Protocol = { ...withQuota(LOCAL, 8, 16), epochBlocks: 15, sealBlock: 8 }
/** A duel that is over before four of its epochs can be frozen, and one that is not. */
const DUEL_EPOCHS = [3, 6]
/** Some validators are away for longer than the one, and nobody for longer than the other. */
const QUORUM_EPOCHS = [6, 20]

/** What a miner does at a block: serves a model of this strength, or leaves. */
export interface Move {
  readonly block: number
  /** The share of its replies that are perfect; 0 if it never replies; null if it leaves. */
  readonly strength: number | null
}

export interface Player {
  readonly account: Account
  /** The block in which it registers; 0 if it is there from the start. */
  readonly registered: number
  readonly moves: readonly Move[]
}

/** A subnet before it begins: everything that is drawn, except faults. */
export interface World {
  readonly seed: number
  readonly epochs: number
  readonly protocol: Protocol
  readonly validators: readonly Account[]
  /** The stakes of the validators, in hundredths of the smallest that gets a permit. */
  readonly stakes: readonly number[]
  /** How far each validator's clock is ahead, in milliseconds. */
  readonly skews: readonly number[]
  readonly miners: readonly Player[]
}

export function drawWorld(seed: number, epochs: number): World {
  const random = streamOf(seed, 'world')
  // Few validators are more frequent, since the time of a run grows with the square of their
  // number.
  const count = 4 + fewOf(1 + fewOf(13, random), random)
  const isLone = count > 6 || random.integers(0, 5) > 0
  const played = Object.entries(SMALL.envs).filter(([env, { players }]) =>
    isLone ? env === MULT8 : players === 1,
  )
  const spread = random.integers(1, 2000)
  return {
    seed,
    epochs,
    protocol: {
      ...SMALL,
      envs: Object.fromEntries(played),
      duelEpochs: pick(DUEL_EPOCHS, random),
      quorumEpochs: pick(QUORUM_EPOCHS, random),
    },
    validators: Array.from({ length: count }, (_, i) => account(bytesOf(seed, 'validator', i))),
    stakes: Array.from(
      { length: count },
      () => 100 + random.integers(0, 1 + random.integers(0, spread)),
    ),
    skews: Array.from({ length: count }, () => random.integers(0, 3_600_000)),
    miners: drawMiners(seed, epochs * SMALL.epochBlocks, random),
  }
}

const STRENGTHS = [0, 0.05, 0.3, 0.5, 0.7, 0.95]

/** Two to eight that are there from the start and, in some worlds, one fresh key after another. */
function drawMiners(seed: number, blocks: number, random: Generator): readonly Player[] {
  const old = 2 + random.integers(0, 7)
  const fresh = random.integers(0, 3) === 0 ? random.integers(1, 9) : 0
  return Array.from({ length: old + fresh }, (_, i) => {
    const registered = i < old ? 0 : random.integers(1, blocks)
    const moves = drawMoves(random, { registered, blocks })
    return { account: account(bytesOf(seed, 'miner', i)), registered, moves }
  })
}

/** Most come at the start; some come later, leave, or commit again. */
function drawMoves(
  random: Generator,
  { registered, blocks }: { readonly registered: number; readonly blocks: number },
): readonly Move[] {
  const strength = (): number => pick(STRENGTHS, random)
  const isEarly = registered > 0 || random.integers(0, 3) > 0
  const come = isEarly ? 1 + random.integers(0, 10) : random.integers(1, blocks)
  const moves: Move[] = [{ block: registered + come, strength: strength() }]
  while (random.integers(0, 3) === 0) {
    const { block: last, strength: before } = moves.at(-1)!
    const block = last + random.integers(1, blocks)
    const isLeaving = before !== null && random.integers(0, 2) === 0
    if (isLeaving) moves.push({ block: drawLeaving(block, random), strength: null })
    else moves.push({ block, strength: strength() })
  }
  return moves.filter(({ block }) => block < blocks)
}

/** Many leave in the last block of an epoch, when nobody can answer any more. */
function drawLeaving(block: number, random: Generator): number {
  const { epochBlocks } = SMALL
  if (random.integers(0, 4) === 0) return block
  return Math.ceil((block + 1) / epochBlocks) * epochBlocks - 1
}
