import { own } from '@affine/prng'
import {
  type Acceptance,
  acceptLanes,
  type EpochInputs,
  isFrozen,
  type Lanes,
} from './acceptance.ts'
import { tabulate } from './own-keys.ts'
import { epochIndexOf, isWon, listPlayedEnvs, winnerBy } from './played.ts'
import type { Duel, EpochTallies, State } from './state.ts'
import { type EnvReports, judgeOpen, reportPlayed } from './verdicts.ts'
import { updateRecord } from './voters.ts'

/** What an epoch came to, for people and logs: nothing in it is needed for the next one. */
export interface Report {
  /** Too little weight attested: no tallies, no verdicts, no trust changes, nobody is crowned. */
  readonly frozen: boolean
  /** By due validator. */
  readonly lanes: Readonly<Record<string, Acceptance>>
  /** Each duel of the epoch, in the order of the list. */
  readonly duels: readonly DuelReport[]
  /** The contender that has won the throne. */
  readonly crowned?: string
}

/** Of a contender. Protocol §8.7. */
export type Standing = 'open' | 'won' | 'lost'

/**
 * One epoch of a duel, and the duel as it stands after it. One that is lost, or crowned, is in no
 * list from then on.
 */
export interface DuelReport extends Duel {
  /** The number of the epoch in it, from 1. */
  readonly epochIndex: number
  /** By environment that was played. */
  readonly envs: EnvReports
  readonly standing: Standing
}

/** With so many frozen epochs an open duel is lost. Protocol §8.3. */
const MAX_FROZEN = 4

/** The epoch that a state governs: acceptance, and each duel by itself. Protocol §9.4. */
export function judge(state: State, inputs: EpochInputs): Report {
  const frozen = isFrozen(state, inputs.heard)
  const lanes = acceptLanes(state, inputs)
  const accepted = Object.keys(lanes).filter((hotkey) => lanes[hotkey]?.accepted)
  const duels = state.duels.map((duel) => {
    const seen = frozen ? {} : collectTallies(accepted, duel, { state, lanes: inputs.lanes })
    return judgeDuel(state, duel, { seen, frozen })
  })
  return { frozen, lanes, duels }
}

/** What the accepted lanes add to a duel. Protocol §8.4. */
function collectTallies(
  accepted: readonly string[],
  duel: Duel,
  { state, lanes }: { readonly state: State; readonly lanes: Lanes },
): EpochTallies {
  return tabulate(listPlayedEnvs(duel, state), (env) => {
    const tallies = accepted.map((hotkey) => {
      return [hotkey, own(own(own(lanes, hotkey), duel.contender.hotkey), env)] as const
    })
    return Object.fromEntries(
      tallies.flatMap(([hotkey, tally]) => (tally ? [[hotkey, tally]] : [])),
    )
  })
}

/** One epoch of a duel: its tallies, its verdicts, and how it stands then. */
function judgeDuel(
  state: State,
  before: Duel,
  { seen, frozen }: { readonly seen: EpochTallies; readonly frozen: boolean },
): DuelReport {
  const { protocol } = state
  const epochIndex = epochIndexOf(before, state.epoch)
  const isOver = epochIndex > protocol.duelEpochs
  const tallies = isOver ? before.tallies : [...before.tallies, seen]
  const turn = { state, epochIndex }
  const isClosed = isWon(before, protocol)
  const counted = { ...before, tallies }
  const { envs, verdicts } =
    frozen || isClosed
      ? { envs: reportPlayed(counted, turn), verdicts: before.verdicts }
      : judgeOpen(counted, turn)
  const duel = { ...counted, verdicts }
  return { ...duel, epochIndex, envs, standing: findStanding(duel, turn) }
}

/** By its verdicts, its length, its frozen epochs. Protocol §8.3, §8.7. */
function findStanding(
  { verdicts, tallies }: Duel,
  { state, epochIndex }: { readonly state: State; readonly epochIndex: number },
): Standing {
  const winner = winnerBy(verdicts, state.protocol)
  if (winner === 'contender') return 'won'
  const frozen = tallies.filter((epoch) => Object.keys(epoch).length === 0).length
  const isOver = epochIndex >= state.protocol.duelEpochs || frozen >= MAX_FROZEN
  return winner === 'champion' || isOver ? 'lost' : 'open'
}

/**
 * For each due validator one count an environment that some duel played, but for those in which its
 * lane was set aside in half of the duels that did: miners can have that happen to it.
 * Protocol §8.9.
 */
export function updateTrust({ trust, protocol }: State, judged: Report): State['trust'] {
  if (judged.frozen) return trust
  const played = judged.duels.flatMap(({ envs }) => Object.entries(envs))
  const all = [...new Set(played.map(([env]) => env))]
  const isGood = (hotkey: string) => (env: string) => {
    const looks = played.filter(([name]) => name === env)
    const aside = looks.filter(([, { setAside }]) => setAside.includes(hotkey))
    return 2 * aside.length < looks.length
  }
  const records = Object.entries(judged.lanes).map(([hotkey, { accepted }]) => {
    const good = { correct: all.filter(isGood(hotkey)).length, incorrect: 0 }
    const counted = accepted ? good : { correct: 0, incorrect: all.length }
    return [hotkey, updateRecord(own(trust, hotkey), counted, protocol)] as const
  })
  return { ...trust, ...Object.fromEntries(records) }
}
