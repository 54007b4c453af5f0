import { type Attendance, attestersOf, isFrozen, isMajority, type Seals } from './acceptance.ts'
import { own, tabulate } from './own-keys.ts'
import { type Reports, ratioAfter, reportRated } from './ratio.ts'
import { type Duel, isFrozenOut, openEnvs, quotasOf, type State } from './state.ts'
import { fillsQuota, NOTHING, type Tallies } from './tally.ts'
import { type DuelEpoch, type EnvReport, judgeAll, type Winner, winnerBy } from './verdicts.ts'
import { remember } from './voters.ts'

/** Whole lanes by hotkey, then environment. A lane that is not whole, or not found, is absent. */
export type Lanes = Readonly<Record<string, Tallies>>

/** What an epoch came to, for people and logs: nothing in it is needed for the next one. */
export interface Report {
  /** Too little weight attested: no tallies, no verdicts, and no trust changes. */
  readonly frozen: boolean
  /** By due validator. */
  readonly lanes: Readonly<Record<string, LaneReport>>
  /** By environment that was open. */
  readonly envs: Readonly<Record<string, EnvReport>>
  /** The duel's verdicts after it: one may be taken back. Protocol §8.6. */
  readonly verdicts: Duel['verdicts']
  /** How the duel ended. */
  readonly outcome: Winner | undefined
}

/** What became of a lane. */
interface LaneReport extends Acceptance {
  /** The environments in which it was too far from the others. */
  readonly setAside: readonly string[]
}

/** Why a due validator's lane counts, or why it does not. */
interface Acceptance {
  readonly sealed: boolean
  /** Who attests it, ascending, and whether they are enough: in a frozen epoch nobody is. */
  readonly attesters: readonly string[]
  readonly attested: boolean
  /** If it is sealed and attested, but not accepted, it is not whole. */
  readonly accepted: boolean
}

/** What is known of an epoch: its voters and what they attest, seals, and whole lanes. */
export interface EpochInputs extends Attendance {
  readonly seals: Seals
  readonly lanes: Lanes
}

/** What an epoch leaves behind: the duel, the trust of those who were due, the ratio to beat. */
export interface Judgement extends Pick<State, 'trust' | 'ratio'> {
  readonly duel: Duel
  readonly reports: Reports
  readonly report: Report
}

/** One epoch of a duel: acceptance, tallies, verdicts, winner, ratio, trust. Protocol §9.4. */
export function judge(state: State, before: Duel, facts: EpochInputs): Judgement {
  const { protocol } = state
  const open = openEnvs(before, protocol)
  const acceptances = acceptLanes(state, before, facts)
  const accepted = Object.keys(acceptances).filter((hotkey) => acceptances[hotkey]?.accepted)
  const frozen = isFrozen(facts)
  const epochIndex = state.epoch - before.start + 1
  const turn = { epochIndex, frozen, protocol, weights: facts.weights }

  const added = addLanes(before, accepted, { open, lanes: facts.lanes })
  const seen = frozen ? { ...before, frozen: before.frozen + 1 } : { ...before, tallies: added }
  const { envs, verdicts } = judgeAll(seen, turn)
  const duel = { ...seen, verdicts }
  const outcome = endOf(duel, turn)
  const report = { frozen, lanes: withOutliers(acceptances, envs), envs, verdicts, outcome }

  const reports = reportRated(envs, duel, turn)
  const ratio = ratioAfter(state, { duel, winner: outcome, reports })
  const trust = frozen ? {} : countLanes(state, report)
  return { duel, reports, trust, ratio, report }
}

/**
 * Which lanes count, by due validator, ascending: the account of an epoch is the same whether the
 * state was computed or read. Protocol §8.3.
 */
function acceptLanes(state: State, duel: Duel, facts: EpochInputs) {
  const { heard, seals, lanes } = facts
  const quotas = Object.entries(quotasOf(state))
  return tabulate(Object.keys(state.due).sort(), (hotkey): Acceptance => {
    const lane = own(lanes, hotkey)
    const sealed = Object.hasOwn(seals, hotkey)
    const whole = quotas.every(([env, quota]) => fillsQuota(own(lane, env), quota))
    const attesters = attestersOf(duel, heard, hotkey)
    const attested = isMajority(facts, attesters)
    return { sealed, attesters, attested, accepted: sealed && whole && attested }
  })
}

/** The duel's tallies with those of the lanes accepted in one more epoch. Protocol §8.4. */
function addLanes(duel: Duel, accepted: readonly string[], { open, lanes }: OpenLanes) {
  const added = tabulate(open, (env): readonly Tallies[] => {
    const tallies = accepted.map((hotkey) => [hotkey, own(own(lanes, hotkey), env) ?? NOTHING])
    return [...(own(duel.tallies, env) ?? []), Object.fromEntries(tallies)]
  })
  return { ...duel.tallies, ...added }
}

interface OpenLanes {
  /** The environments that are open. */
  readonly open: readonly string[]
  readonly lanes: Lanes
}

/** Who has won by now: by the verdicts, or because the duel is over. Protocol §8.3, §8.7. */
function endOf(duel: Duel, { epochIndex, protocol }: DuelEpoch): Winner | undefined {
  const winner = winnerBy(duel.verdicts, protocol)
  const isOver = epochIndex >= protocol.duelEpochs || isFrozenOut(duel)
  if (winner === undefined && isOver) return 'champion'
  return winner
}

/** The acceptances, and where each lane was set aside. */
function withOutliers(
  acceptances: Readonly<Record<string, Acceptance>>,
  envs: Report['envs'],
): Report['lanes'] {
  const lanes = Object.entries(acceptances).map(([hotkey, acceptance]) => {
    const setAside = Object.keys(envs).filter((env) => own(envs, env)?.setAside.includes(hotkey))
    return [hotkey, { ...acceptance, setAside }] as const
  })
  return Object.fromEntries(lanes)
}

/**
 * For each due validator one count an environment, but for those in which its lane was set aside:
 * miners can have that happen to it. Protocol §8.9.
 */
function countLanes({ trust, protocol }: State, { lanes, envs }: Report): State['trust'] {
  const all = Object.keys(envs).length
  const records = Object.entries(lanes).map(([hotkey, { accepted, setAside }]) => {
    const good = { correct: all - setAside.length, incorrect: 0 }
    const counted = accepted ? good : { correct: 0, incorrect: all }
    return [hotkey, remember(own(trust, hotkey), counted, protocol)] as const
  })
  return Object.fromEntries(records)
}
