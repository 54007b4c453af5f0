import { type Miner, type Report, ratioToBeat, stateRoot, weighToday } from '@affine/duel'
import type { Settled } from '@affine/settlement'
import { type DuelFacts, type DuelTurn, duelFacts, duelTurn } from './duel-facts.ts'
import { type EnvFacts, looksAt } from './env-facts.ts'
import { type LaneFacts, laneFacts } from './lane-facts.ts'
import { type OtherState, otherState } from './other-state.ts'
import { type MissingQuorum, missingQuorum } from './quorum.ts'
import { crownedIn, type ThroneChange, throneChanges } from './throne.ts'

/** The result of one decided epoch. */
export interface EpochFacts {
  readonly epoch: number
  /** The miner that held the throne in it. */
  readonly champion: Miner | undefined
  /** The ratio to beat in it, in ppm. */
  readonly ratio: number
  readonly duel: DuelFacts | undefined
  readonly frozen: boolean
  readonly lanes: readonly LaneFacts[]
  /** The environments that were open. */
  readonly envs: readonly EnvFacts[]
  readonly throne: readonly ThroneChange[]
  /** The miner that took the empty throne at its end. */
  readonly crowned: Miner | undefined
  /** Of the next epoch: the miner that has the throne, the ratio to beat, and the duel. */
  readonly heir: Miner | undefined
  readonly nextRatio: number
  readonly nextDuel: DuelTurn | undefined
  /** Why no duel starts though a miner waits; undefined if it is for anything else. */
  readonly lacking: MissingQuorum | undefined
  /** Who attests another state of this epoch. */
  readonly others: OtherState | undefined
  /** The root of the state that governs the next epoch. */
  readonly root: string
}

export function epochFacts(settled: Settled): EpochFacts {
  const { before, state, report, snapshot } = settled
  const { duel, champion, epoch } = before
  const weights = duel ? weighToday(duel, snapshot) : {}
  const ratio = ratioToBeat(before)
  return {
    epoch,
    champion,
    ratio,
    duel: duelFacts(settled),
    frozen: report.frozen,
    lanes: laneFacts(settled),
    envs: looksAt(report.envs, { weights, ratioPpm: ratio }),
    throne: throneChanges(settled),
    crowned: crownedIn(settled),
    heir: state.champion,
    nextRatio: ratioToBeat(state),
    nextDuel: duelTurn(state),
    lacking: missingQuorum(settled),
    others: otherState(settled),
    root: stateRoot(state),
  }
}

/** One decided epoch as a record for machines, its weighted counts exact. */
export function epochRecord(settled: Settled): object {
  const { before, state, report } = settled
  return {
    type: 'epoch',
    epoch: before.epoch,
    root: stateRoot(state),
    crowned: crownedIn(settled)?.hotkey,
    lacking: missingQuorum(settled),
    others: otherState(settled),
    report: reportRecord(report),
  }
}

/** A report for machines: there, an environment's look is its `verdict`. */
export function reportRecord(report: Report): object {
  const envs = Object.entries(report.envs).map(([env, seen]) => {
    const { look: verdict, ...rest } = seen
    return [env, { ...rest, verdict }]
  })
  return { ...report, envs: Object.fromEntries(envs) }
}
