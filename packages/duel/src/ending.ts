import { type DuelEpoch, type EnvReport, reportOn } from './environments.ts'
import { own, tabulate } from './own-keys.ts'
import { ruleOf } from './protocol.ts'
import { decay, ratchet } from './ratio.ts'
import type { Duel, State } from './state.ts'
import type { Winner } from './winner.ts'

/** What environments of a duel came to, those that are closed too. */
export type Reports = Readonly<Record<string, EnvReport>>

/**
 * The environments that count for the ratio and the record, as an epoch that may be the duel's last
 * leaves them: the open ones as they were judged, whose tallies and rates no rule changes. Not
 * those of two players: rates against different opponents do not compare. Protocol §8.10.
 */
export function reportRated(open: Reports, duel: Duel, turn: DuelEpoch): Reports {
  const rule = ruleOf(turn.protocol)
  const all = Object.entries(turn.protocol.envs)
  const envs = all.filter(([, { players }]) => players === 1).map(([env]) => env)
  return tabulate(envs, (env) => own(open, env) ?? reportOn(env, duel, { ...turn, rule }))
}

/** A duel in an epoch, and who has won it by its verdicts or its length. */
export interface DuelEnding {
  readonly duel: Duel
  readonly winner: Winner | undefined
  readonly reports: Reports
}

/** The ratio decays, or rises by the environments that the contender won. Protocol §8.10. */
export function ratioAfter(
  { ratio, record, protocol }: State,
  { duel, winner, reports }: DuelEnding,
): number {
  if (winner !== 'contender') return decay(ratio, protocol)
  const wins = Object.entries(reports).filter(([env]) => own(duel.verdicts, env) === 'win')
  const won = wins.map(([env, { win, rates }]) => {
    const champion = Math.max(rates.champion, own(record, env) ?? 0)
    return { tally: win, contender: rates.contender, champion }
  })
  return ratchet(won, protocol)
}

/** Who of a duel has the throne after it, and whether by its verdicts. */
interface Heir {
  readonly heir: Winner | undefined
  readonly isDethroned: boolean
}

/**
 * The record after a duel: what the contender earned if it won by its verdicts. Else nothing is
 * forgotten, and what was earned by the one that has the throne is added; a throne that is handed
 * over, or empty, keeps its record. Protocol §8.10.
 */
export function recordAfter(
  record: State['record'],
  { heir, isDethroned }: Heir,
  reports: Reports,
): State['record'] {
  if (heir === undefined) return record
  return tabulate(Object.keys(reports), (env) => {
    const earned = own(reports, env)?.rates[heir] ?? 0
    const before = isDethroned ? 0 : (own(record, env) ?? 0)
    return Math.max(earned, before)
  })
}
