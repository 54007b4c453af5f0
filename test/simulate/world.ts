import { type Account, account } from '../../packages/chain/src/index.ts'
import { LOCAL, type Protocol } from '../../packages/duel/src/index.ts'
import { MULT8, withQuota } from '../../packages/duel/test/subnet.ts'
import type { Generator } from '../../packages/prng/src/index.ts'
import { bytesOf, fewOf, pick, streamOf } from './draw.ts'

/** Short epochs and small quotas, so that a duel takes few of them. */
const SMALL: Protocol = { ...withQuota(LOCAL, 8, 16), epochBlocks: 15, sealBlock: 8, duelEpochs: 3 }

/** What a miner does at a block: serves a model of this strength, or leaves. */
export interface Move {
  readonly block: number
  /** The share of its replies that are perfect; 0 if it never replies; null if it leaves. */
  readonly strength: number | null
}

export interface Player {
  readonly account: Account
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
  const count = 4 + fewOf(1 + random.integers(0, 13), random)
  const miners = 2 + random.integers(0, 7)
  const isLone = count > 6 || random.integers(0, 5) > 0
  const played = Object.entries(SMALL.envs).filter(([env]) => !isLone || env === MULT8)
  const spread = random.integers(1, 2000)
  return {
    seed,
    epochs,
    protocol: { ...SMALL, envs: Object.fromEntries(played) },
    validators: Array.from({ length: count }, (_, i) => account(bytesOf(seed, 'validator', i))),
    stakes: Array.from(
      { length: count },
      () => 100 + random.integers(0, 1 + random.integers(0, spread)),
    ),
    skews: Array.from({ length: count }, () => random.integers(0, 3_600_000)),
    miners: Array.from({ length: miners }, (_, i) => {
      const moves = drawMoves(random, epochs * SMALL.epochBlocks)
      return { account: account(bytesOf(seed, 'miner', i)), moves }
    }),
  }
}

const STRENGTHS = [0, 0.05, 0.3, 0.5, 0.7, 0.95]

/** Most come at the start; some come later, leave, or commit again. */
function drawMoves(random: Generator, blocks: number): readonly Move[] {
  const strength = (): number => pick(STRENGTHS, random)
  const isEarly = random.integers(0, 3) > 0
  const moves: Move[] = [
    {
      block: isEarly ? 1 + random.integers(0, 10) : random.integers(1, blocks),
      strength: strength(),
    },
  ]
  while (random.integers(0, 3) === 0) {
    const { block, strength: before } = moves.at(-1)!
    const isLeaving = before !== null && random.integers(0, 2) === 0
    moves.push({
      block: block + random.integers(1, blocks),
      strength: isLeaving ? null : strength(),
    })
  }
  return moves.filter(({ block }) => block < blocks)
}
