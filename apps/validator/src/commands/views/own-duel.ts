import { type Duel, type Verdict, type Winner, winnerBy } from '@affine/duel'
import type { Recomputed } from '@affine/settlement'
import type { Forfeits } from './forfeits.ts'
import { type Deeds, ROLES, type Role } from './miner-lanes.ts'

/** What a miner did in one environment of one lane, and when. */
interface Dated extends Deeds {
  readonly epoch: number
}

/** An epoch of a duel, and what one of the two did in the lanes that were accepted in it. */
interface Turn {
  readonly settled: Recomputed
  readonly deeds: readonly Deeds[]
}

/** A duel as one of its two had it: the epochs of it that were read. */
export interface OwnDuel {
  readonly hotkey: string
  readonly role: Role
  readonly duel: Duel
  readonly turns: readonly [Turn, ...Turn[]]
}

/** How a duel stands, or how it ended, for one of the two. */
export interface Result {
  readonly ending: 'won' | 'lost' | 'open'
  /** By the environments that are won, when its epochs were over, or as one of the two left. */
  readonly by: 'environments' | 'length' | 'leaving' | undefined
  /** Of `counted` environments, which are not even, the contender has won some, and needs some. */
  readonly wins: number
  readonly counted: number
  readonly needed: number
  readonly verdicts: Readonly<Record<string, Verdict>>
  /** In the epochs that were read and the lanes that count, how many it was in and replied to. */
  readonly challenges: number
  readonly answered: number
  readonly forfeits: Forfeits
}

/** The duel with one more epoch of it; a new one, or none, where none was going on. */
export function withTurn(
  before: OwnDuel | undefined,
  hotkey: string,
  turn: Turn,
): OwnDuel | undefined {
  if (before !== undefined) return { ...before, turns: [...before.turns, turn] }
  const { duel } = turn.settled.before
  const role = ROLES.find((side) => duel?.[side].hotkey === hotkey)
  if (duel === undefined || role === undefined) return undefined
  return { hotkey, role, duel, turns: [turn] }
}

/** The last epoch of it that was read. */
export const lastOf = ({ turns }: OwnDuel): Recomputed => (turns.at(-1) ?? turns[0]).settled

/**
 * What it did where it counts: in accepted lanes, but for those that the last look at their
 * environment set aside. As many challenges as the rule counted, if all epochs were read.
 */
export function deedsOf({ turns }: OwnDuel): readonly Dated[] {
  const aside: Record<string, readonly string[]> = {}
  for (const { settled } of turns) {
    for (const [env, look] of Object.entries(settled.report.envs)) aside[env] = look.setAside
  }
  return turns
    .flatMap(({ settled: { epoch }, deeds }) => deeds.map((each) => ({ ...each, epoch })))
    .filter(({ validator, env }) => !aside[env]?.includes(validator))
}

export function resultOf(own: OwnDuel): Result {
  const { before, report } = lastOf(own)
  const { envs, margin } = before.protocol
  const counted = Object.keys(envs).filter((env) => report.verdicts[env] !== 'even')
  const deeds = deedsOf(own)
  const challenges = deeds.reduce((sum, each) => sum + each.challenges, 0)
  const forfeits = sumForfeits(deeds)
  return {
    ending: endingFor(own.role, report.outcome),
    by: whatEnded(lastOf(own)),
    wins: counted.filter((env) => report.verdicts[env] === 'win').length,
    counted: counted.length,
    needed: Math.ceil((counted.length + margin) / 2),
    verdicts: report.verdicts,
    challenges,
    answered: challenges - (forfeits['no-reply'] ?? 0),
    forfeits,
  }
}

function endingFor(role: Role, outcome: Winner | undefined): Result['ending'] {
  if (outcome === undefined) return 'open'
  return outcome === role ? 'won' : 'lost'
}

/** Protocol §8.7, §8.11. */
function whatEnded({ before, report }: Recomputed): Result['by'] {
  const { epoch, duel, protocol } = before
  const { outcome, verdicts } = report
  if (outcome === undefined) return undefined
  if (winnerBy(verdicts, protocol) === outcome) return 'environments'
  const isOver = epoch - (duel?.start ?? epoch) + 1 >= protocol.duelEpochs
  return isOver && outcome === 'champion' ? 'length' : 'leaving'
}

function sumForfeits(deeds: readonly Deeds[]): Forfeits {
  const sum: Record<string, number> = {}
  for (const [way, count] of deeds.flatMap(({ forfeits }) => Object.entries(forfeits)))
    sum[way] = (sum[way] ?? 0) + count
  return sum
}
