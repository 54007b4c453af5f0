import {
  computeEpochIndex,
  countNeededWins,
  type Duel,
  type DuelReport,
  findDuelWinner,
  type Miner,
  type Protocol,
  type State,
} from '@affine/duel'
import type { EpochResult } from '@affine/settlement'
import { describeEnv, type EnvFacts } from './env-facts.ts'

/** A duel in one of its epochs. Contender and first epoch identify the duel. */
export interface DuelTurn extends Pick<Duel, 'contender' | 'start' | 'verdicts'> {
  readonly champion: Miner
  /** Number of this epoch in the duel, from 1. */
  readonly epochIndex: number
  /** Maximum epochs of a duel. */
  readonly duelEpochs: number
}

/** Lists the duels of the epoch that a state governs, oldest first. */
export function listTurns({ duels, champion, epoch, protocol }: State): readonly DuelTurn[] {
  if (champion === undefined) return []
  const { duelEpochs } = protocol
  return duels.map((duel) => {
    const { contender, start, verdicts } = duel
    const epochIndex = computeEpochIndex(duel, epoch)
    return { champion, contender, start, verdicts, epochIndex, duelEpochs }
  })
}

/** A duel after one of its epochs. */
export interface DuelFacts extends DuelTurn {
  /** Environments of the protocol, played or not. */
  readonly envs: readonly string[]
  /** Interim analyses of the environments that were played. */
  readonly analyses: readonly EnvFacts[]
  /** Number of environments that the contender has won. */
  readonly wins: number
  /** Number of environments whose verdict is not `even`: won, held or still open. */
  readonly counted: number
  /** Number of environments that the contender needs to win. */
  readonly needed: number
  /** Result of the function `surePpm` for this duel, in ppm. */
  readonly surePpm: number
  readonly standing: DuelReport['standing']
  /** Undefined while the duel continues. */
  readonly end: DuelEnd | undefined
}

/**
 * The end of a duel. `crowned`: the contender took the throne. `passed`: the contender had won, but
 * another contender was better. The contender lost by `verdicts`, by `length` (the duel's epochs
 * ended), or by `freezing` (too many epochs were frozen). Protocol §8.7, §8.11.
 */
export type DuelEnd = 'crowned' | 'passed' | 'verdicts' | 'length' | 'freezing'

/**
 * Returns the minimum share, in ppm, of contenders exactly at the ratio to beat that fail to win
 * the needed environments, if challenges are independent. Such contenders win an environment with a
 * probability of at most 0.05, or 0.0025 in the sole deciding environment: docs/guarantees.md. Does
 * not apply to contenders below or above the ratio.
 */
export function surePpm(duel: Pick<DuelFacts, 'envs' | 'counted' | 'needed'>): number {
  const { envs, counted, needed } = duel
  const chance = counted === 1 ? 0.0025 : 0.05 ** needed
  return 1e6 * Math.max(0, 1 - countChoices(envs.length, needed) * chance)
}

/** Returns the number of ways to choose `some` of `all`. */
const countChoices = (all: number, some: number): number =>
  some === 0 ? 1 : (countChoices(all - 1, some - 1) * all) / some

/** Describes the duels at the end of an epoch. */
export function describeDuels({ before, report }: EpochResult): readonly DuelFacts[] {
  const { champion, protocol, voters: weights, ratio: ratioPpm } = before
  if (champion === undefined) return []
  const { duelEpochs } = protocol
  const envs = Object.keys(protocol.envs)
  return report.duels.map((duel) => {
    const { contender, start, verdicts, epochIndex, standing } = duel
    const counted = envs.filter((env) => verdicts[env] !== 'even').length
    const needed = countNeededWins(counted, protocol.margin)
    return {
      champion,
      contender,
      start,
      epochIndex,
      duelEpochs,
      verdicts,
      envs,
      analyses: Object.entries(duel.envs).map(([env, envReport]) =>
        describeEnv({ env, report: envReport, weights, ratioPpm }),
      ),
      wins: envs.filter((env) => verdicts[env] === 'win').length,
      counted,
      needed,
      surePpm: surePpm({ envs, counted, needed }),
      standing,
      end: findEnd(duel, protocol, report.crowned),
    }
  })
}

function findEnd(duel: DuelReport, protocol: Protocol, crowned?: string): DuelEnd | undefined {
  const { standing, contender, verdicts, epochIndex } = duel
  if (standing === 'won') {
    if (crowned === undefined) return undefined
    return crowned === contender.hotkey ? 'crowned' : 'passed'
  }
  if (standing === 'open') return undefined
  if (findDuelWinner(verdicts, protocol) === 'champion') return 'verdicts'
  return epochIndex >= protocol.duelEpochs ? 'length' : 'freezing'
}
