import { own } from '@affine/prng'
import {
  type Acceptance,
  acceptLanes,
  type EpochInputs,
  isFrozen,
  type Lanes,
} from './acceptance.ts'
import { mapValues, tabulate } from './own-keys.ts'
import { computeEpochIndex, findDuelWinner, isWon, listPlayedEnvs } from './played.ts'
import type { Protocol } from './protocol.ts'
import type { Duel, EpochTallies, State } from './state.ts'
import { type EnvReports, judgeOpen, reportPlayed } from './verdicts.ts'
import { updateRecord } from './voters.ts'

/** The result of judging an epoch. `decide` computes the next state with it. */
export interface Report {
  /**
   * Whether too little weight attested. A frozen epoch has no tallies, no verdicts and no crowning,
   * and does not change trust.
   */
  readonly frozen: boolean
  /** Keyed by due validator. */
  readonly lanes: Readonly<Record<string, Acceptance>>
  /** Duels in the order in which they began. */
  readonly duels: readonly DuelReport[]
  /** Contender that becomes champion. */
  readonly crowned?: string
}

/** A contender's position in its duel. Protocol §8.7. */
export type Standing = 'open' | 'won' | 'lost'

/** One epoch of a duel, and the duel after it. A lost duel ends, and a crowning ends all duels. */
export interface DuelReport extends Duel {
  /** Number of the epoch in the duel, from 1. */
  readonly epochIndex: number
  /** Keyed by environment that was played. */
  readonly envs: EnvReports
  readonly standing: Standing
}

/** Number of frozen epochs that end an open duel as lost. Protocol §8.3. */
const MAX_FROZEN = 4

/**
 * Judges the lanes of the epoch that a state governs, then each duel independently. Protocol §9.4.
 */
export function judge(state: State, inputs: EpochInputs): Report {
  const frozen = isFrozen(state, inputs.attestations)
  const lanes = acceptLanes(state, inputs)
  const accepted = Object.keys(lanes).filter((hotkey) => lanes[hotkey]?.accepted)
  const duels = state.duels.map((duel) => {
    const seen = frozen ? {} : collectTallies(accepted, duel, { state, lanes: inputs.lanes })
    return judgeDuel(state, duel, { seen, frozen })
  })
  return { frozen, lanes, duels }
}

/** Returns the tallies that the accepted lanes add to a duel. Protocol §8.4. */
function collectTallies(
  accepted: readonly string[],
  duel: Duel,
  { state, lanes }: { readonly state: State; readonly lanes: Lanes },
): EpochTallies {
  return tabulate(listPlayedEnvs(duel, state), (env) => {
    const entries = accepted.flatMap((hotkey) => {
      const tally = own(own(own(lanes, hotkey), duel.contender.hotkey), env)
      return tally ? [[hotkey, tally] as const] : []
    })
    return Object.fromEntries(entries)
  })
}

function judgeDuel(
  state: State,
  before: Duel,
  { seen, frozen }: { readonly seen: EpochTallies; readonly frozen: boolean },
): DuelReport {
  const { epoch, protocol } = state
  const epochIndex = computeEpochIndex(before, epoch)
  const isOver = epochIndex > protocol.duelEpochs
  const counted = isOver ? before : { ...before, tallies: [...before.tallies, seen] }
  const { envs, verdicts } =
    frozen || isWon(before, protocol)
      ? { envs: reportPlayed(counted, state), verdicts: before.verdicts }
      : judgeOpen(counted, state)
  const duel = { ...counted, epochIndex, verdicts }
  return { ...duel, envs, standing: findStanding(duel, protocol) }
}

/** Returns the contender's standing by verdicts, length and frozen epochs. Protocol §8.3, §8.7. */
function findStanding(
  { verdicts, tallies, epochIndex }: Omit<DuelReport, 'envs' | 'standing'>,
  protocol: Protocol,
): Standing {
  const winner = findDuelWinner(verdicts, protocol)
  if (winner === 'contender') return 'won'
  const frozen = tallies.filter((epoch) => Object.keys(epoch).length === 0).length
  const isOver = epochIndex >= protocol.duelEpochs || frozen >= MAX_FROZEN
  return winner === 'champion' || isOver ? 'lost' : 'open'
}

/**
 * Returns the trust after an epoch. A due validator's lane counts once for each environment that a
 * duel played: as correct if it was accepted, otherwise as incorrect. An accepted lane does not
 * count where it was an outlier in at least half of the duels, since miners can make an honest lane
 * an outlier. Protocol §8.9.
 */
export function updateTrust({ trust, protocol }: State, judged: Report): State['trust'] {
  if (judged.frozen) return trust
  const played = judged.duels.flatMap(({ envs }) => Object.entries(envs))
  const all = [...new Set(played.map(([env]) => env))]
  const isGood = (hotkey: string) => (env: string) => {
    const reports = played.filter(([name]) => name === env)
    const aside = reports.filter(([, { setAside }]) => setAside.includes(hotkey))
    return 2 * aside.length < reports.length
  }
  const records = mapValues(judged.lanes, ({ accepted }, hotkey) => {
    const good = { correct: all.filter(isGood(hotkey)).length, incorrect: 0 }
    const counted = accepted ? good : { correct: 0, incorrect: all.length }
    return updateRecord(own(trust, hotkey), counted, protocol)
  })
  return { ...trust, ...records }
}
