import { type Account, account } from '../../packages/chain/src/index.ts'
import { LOCAL, type Protocol } from '../../packages/duel/src/index.ts'
import { MULT8, withQuota } from '../../packages/duel/test/subnet.ts'
import type { Generator } from '../../packages/prng/src/index.ts'
import { bytesOf, fewOf, pick, streamOf } from './draw.ts'

/** Rules with short epochs and small quotas, for short duels. */
const SMALL: Protocol = { ...withQuota(LOCAL, 8, 16), epochBlocks: 15, sealBlock: 8 }
/** Maximum epochs of a duel: 3 are too few for four frozen epochs, 6 are enough. */
const DUEL_EPOCHS = [3, 6]
/**
 * Epochs for which an absent validator stays active. Some validators are absent for more than 6
 * epochs, none for more than 20.
 */
const QUORUM_EPOCHS = [6, 20]

/** A miner's move at a block: it serves a model of this strength, or leaves. */
export interface Move {
  readonly block: number
  /** Share of perfect replies, 0 if it never replies. Null if it leaves. */
  readonly strength: number | null
}

export interface Player {
  readonly account: Account
  /** Block of the registration: 0 if the miner is registered from the start. */
  readonly registered: number
  readonly moves: readonly Move[]
}

/** Everything drawn for a subnet except faults. */
export interface World {
  readonly seed: number
  readonly epochs: number
  readonly protocol: Protocol
  readonly validators: readonly Account[]
  /** Stakes of the validators, in hundredths of the minimum for a permit. */
  readonly stakes: readonly number[]
  /** Milliseconds by which each validator's clock is ahead. */
  readonly skews: readonly number[]
  readonly miners: readonly Player[]
}

export function drawWorld(seed: number, epochs: number): World {
  const random = streamOf(seed, 'world')
  // Small numbers of validators are more frequent, since a run's time grows with their square.
  const count = 4 + fewOf(1 + fewOf(13, random), random)
  const isLone = count > 6 || random.integers(0, 5) > 0
  const played = Object.entries(SMALL.envs).filter(([env]) => !isLone || env === MULT8)
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

/** Draws two to eight miners from the start and, in some worlds, later registrations. */
function drawMiners(seed: number, blocks: number, random: Generator): readonly Player[] {
  const old = 2 + random.integers(0, 7)
  const fresh = random.integers(0, 3) === 0 ? random.integers(1, 9) : 0
  return Array.from({ length: old + fresh }, (_, i) => {
    const registered = i < old ? 0 : random.integers(1, blocks)
    const moves = drawMoves(random, { registered, blocks })
    return { account: account(bytesOf(seed, 'miner', i)), registered, moves }
  })
}

/** Draws a miner's moves. Most miners come at the start; some come later, leave or commit again. */
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

/** Draws the block of a departure, often an epoch's last, so that no one can react in the epoch. */
function drawLeaving(block: number, random: Generator): number {
  const { epochBlocks } = SMALL
  if (random.integers(0, 4) === 0) return block
  return Math.ceil((block + 1) / epochBlocks) * epochBlocks - 1
}

/**
 * Returns a world of four equal validators and miners of these strengths, in order of commitment.
 */
export function worldOf(strengths: readonly number[], epochs: number): World {
  const world = drawWorld(1, epochs)
  return {
    ...world,
    protocol: { ...world.protocol, duelEpochs: 6, quorumEpochs: 20 },
    validators: world.validators.slice(0, 4),
    stakes: [100, 100, 100, 100],
    miners: strengths.map((strength, i): Player => {
      const { account } = world.miners[i]!
      return { account, registered: 0, moves: [{ block: i + 1, strength }] }
    }),
  }
}
