import {
  type Duel,
  type DuelReport,
  epochIndexOf,
  type Miner,
  neededWins,
  type Standing,
  type State,
  winnerBy,
} from '@affine/duel'
import type { Settled } from '@affine/settlement'
import { describeEnv, type EnvFacts } from './env-facts.ts'

/** A duel in one of its epochs. A contender has one duel that starts in an epoch. */
export interface DuelTurn extends Pick<Duel, 'contender' | 'start' | 'verdicts'> {
  readonly champion: Miner
  /** The number of this epoch in the duel, from 1, and the most epochs that a duel has. */
  readonly epochIndex: number
  readonly duelEpochs: number
}

/** The duels of the epoch that a state governs, in the order in which they began. */
export function listTurns({ duels, champion, epoch, protocol }: State): readonly DuelTurn[] {
  if (champion === undefined) return []
  const { duelEpochs } = protocol
  return duels.map((duel) => {
    const { contender, start, verdicts } = duel
    const epochIndex = epochIndexOf(duel, epoch)
    return { champion, contender, start, verdicts, epochIndex, duelEpochs }
  })
}

/** A duel as it stands after one of its epochs. */
export interface DuelFacts extends DuelTurn {
  /** All environments, and those that were played, with what their lanes saw. */
  readonly envs: readonly string[]
  readonly looks: readonly EnvFacts[]
  /** How many environments the contender has won; how many are not even; how many it needs. */
  readonly wins: number
  readonly counted: number
  readonly needed: number
  /** How sure it is that who wins so is better than the ratio to beat, in ppm: see `surePpm`. */
  readonly surePpm: number
  readonly standing: Standing
  /** How it ended; undefined while it goes on. */
  readonly end: DuelEnd | undefined
}

/**
 * The contender was crowned, or had won and another was better; or it has lost: by its verdicts,
 * when the epochs were over, or because too many of them were frozen. Protocol §8.7, §8.11.
 */
export type DuelEnd = 'crowned' | 'passed' | 'verdicts' | 'length' | 'freezing'

/**
 * Returns the least share, in ppm, of contenders exactly at the ratio to beat that do not win what
 * this one needed, if challenges are independent. Each win has a chance of 0.05 at most, and 0.0025
 * in an environment that decides alone: docs/guarantees.md. Not for contenders below or above it.
 */
export function surePpm({
  envs,
  counted,
  needed,
}: Pick<DuelFacts, 'envs' | 'counted' | 'needed'>): number {
  const chance = counted === 1 ? 0.0025 : 0.05 ** needed
  return 1e6 * Math.max(0, 1 - countChoices(envs.length, needed) * chance)
}

/** Returns in how many ways `some` of `all` can be chosen. */
const countChoices = (all: number, some: number): number =>
  some === 0 ? 1 : (countChoices(all - 1, some - 1) * all) / some

/** The duels of an epoch as they stand after it. */
export function describeDuels(settled: Settled): readonly DuelFacts[] {
  const { before, report } = settled
  return listTurns(before).flatMap((turn, place) => {
    const duel = report.duels[place]
    return duel ? [describeDuel(settled, turn, duel)] : []
  })
}

function describeDuel({ before, report }: Settled, turn: DuelTurn, duel: DuelReport): DuelFacts {
  const { protocol, voters, ratio } = before
  const { verdicts, standing } = duel
  const envs = Object.keys(protocol.envs)
  const counted = envs.filter((env) => verdicts[env] !== 'even').length
  const needed = neededWins(counted, protocol.margin)
  return {
    ...turn,
    verdicts,
    envs,
    looks: Object.entries(duel.envs).map(([env, look]) =>
      describeEnv({ env, report: look, weights: voters, ratioPpm: ratio }),
    ),
    wins: envs.filter((env) => verdicts[env] === 'win').length,
    counted,
    needed,
    surePpm: surePpm({ envs, counted, needed }),
    standing,
    end: findEnd(duel, before, report.crowned),
  }
}

function findEnd(
  { standing, contender, verdicts, epochIndex }: DuelReport,
  { protocol }: State,
  crowned: string | undefined,
): DuelEnd | undefined {
  if (standing === 'won') {
    if (crowned === undefined) return undefined
    return crowned === contender.hotkey ? 'crowned' : 'passed'
  }
  if (standing === 'open') return undefined
  if (winnerBy(verdicts, protocol) === 'champion') return 'verdicts'
  return epochIndex >= protocol.duelEpochs ? 'length' : 'freezing'
}
