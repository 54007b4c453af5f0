import {
  contentOf,
  type Miner,
  nextContenders,
  type Report,
  ratioToBeat,
  stateRoot,
  trustOf,
  weighToday,
} from '@affine/duel'
import type { Recomputed, Settled } from '@affine/settlement'
import { type DuelFacts, type DuelTurn, duelFacts, duelTurn } from './duel-facts.ts'
import { type EnvFacts, envFacts } from './env-facts.ts'

/** What was found of an epoch. */
type Findings = Pick<Recomputed, 'flaws' | 'warnings' | 'votes'>

/** An epoch that was decided; with what was found of it, if its evidence was recomputed. */
type DecidedEpoch = Settled & Partial<Findings>

/** The result of one decided epoch. All that is told of one follows from this. */
export interface EpochFacts extends Findings {
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
  /** The trust after it of every validator that has a record, in ppm. */
  readonly trust: Readonly<Record<string, number>>
  /** Why no duel starts though a miner waits; undefined if it is for anything else. */
  readonly lacking: MissingQuorum | undefined
  /** Who attests another state of this epoch. */
  readonly others: OtherState | undefined
  /** The root of the state that governs the next epoch. */
  readonly root: string
}

/** The result of the lane of a validator that was due. */
export interface LaneFacts {
  readonly validator: string
  readonly sealed: boolean
  readonly attested: boolean
  readonly accepted: boolean
  /** The environments in which it was too far from the others. */
  readonly setAside: readonly string[]
  readonly attesters: readonly string[]
  /** The validator's trust after the epoch, in ppm. */
  readonly trust: number
  /** Why the lane is void, as a code; not every reader reads those that cannot count. */
  readonly fault: string | undefined
  /** How many of its games were never begun; 0 if it is not accepted. */
  readonly unbegun: number
}

/** What can happen to the throne at an epoch's end. */
export type ThroneChange =
  | 'dethroned'
  | 'inherited'
  | 'held'
  | 'failed-and-left'
  | 'won-and-left'
  | 'crowned'
  | 'emptied'

export function epochFacts(settled: DecidedEpoch): EpochFacts {
  const { before, state, report, snapshot, flaws = [], warnings = [], votes } = settled
  const { champion, epoch } = before
  const weights = before.duel ? weighToday(before.duel, snapshot) : {}
  const ratio = ratioToBeat(before)
  const duel = duelFacts(settled)
  const throne = throneChanges(settled, duel)
  const trust = Object.entries(state.trust).map(([hotkey, record]) => [hotkey, trustOf(record)])
  return {
    epoch,
    champion,
    ratio,
    duel,
    frozen: report.frozen,
    lanes: laneFacts(settled),
    envs: Object.entries(report.envs).map(([env, look]) =>
      envFacts({ env, report: look, weights, ratioPpm: ratio }),
    ),
    throne,
    crowned: throne.includes('crowned') ? state.champion : undefined,
    heir: state.champion,
    nextRatio: ratioToBeat(state),
    nextDuel: duelTurn(state),
    trust: Object.fromEntries(trust),
    lacking: missingQuorum(settled),
    others: otherState(settled),
    flaws,
    warnings,
    votes,
    root: stateRoot(state),
  }
}

/** The lanes of an epoch, by validator ascending. */
function laneFacts({ report, lanes, state }: Settled): readonly LaneFacts[] {
  return Object.entries(report.lanes).map(([validator, lane]) => {
    const read = lanes.get(validator)
    const fault = read === undefined || read.ok ? undefined : read.code
    const unbegun = lane.accepted && read?.ok ? read.value.unbegun : 0
    return { validator, ...lane, trust: trustOf(state.trust[validator]), fault, unbegun }
  })
}

/**
 * What happened to the throne at an epoch's end, in order; empty while a duel goes on.
 * Protocol §8.11.
 */
function throneChanges(
  { before, state }: Settled,
  duel: DuelFacts | undefined,
): readonly ThroneChange[] {
  const change = duelChange(duel, state.champion)
  const changes = change === undefined ? [] : [change]
  const isTaken = change === 'dethroned' || change === 'inherited'
  if (isTaken || isSame(state.champion, before.champion)) return changes
  return [...changes, state.champion ? 'crowned' : 'emptied']
}

function duelChange(
  duel: DuelFacts | undefined,
  heir: Miner | undefined,
): ThroneChange | undefined {
  if (duel?.end === undefined) return undefined
  const { champion, contender, end } = duel
  if (end.winner === 'champion') return isSame(heir, champion) ? 'held' : 'failed-and-left'
  if (!isSame(heir, contender)) return 'won-and-left'
  return end.by === 'environments' ? 'dethroned' : 'inherited'
}

const isSame = (a: Miner | undefined, b: Miner | undefined): boolean =>
  (a && contentOf(a)) === (b && contentOf(b))

/** An active validator whose attestation did not count. */
export type MissingVoter = {
  readonly hotkey: string
  /** The stake that it would vote with, in rao, in digits. */
  readonly stake: string
  readonly weightPpm: number
  /** The last epoch in which its attestation counted; undefined if none did. */
  readonly lastEpoch: number | undefined
  /** At the end of this epoch it is not waited for any more. */
  readonly droppedIn: number
}

/** Why no duel starts though a miner waits: too few of the active validators attested. */
export interface MissingQuorum {
  /** The share of the weight that attested, in ppm. */
  readonly attestedPpm: number
  /** The heaviest first. */
  readonly missing: readonly MissingVoter[]
}

/** Undefined unless a quorum is all that a duel lacked at the epoch's end. Protocol §8.1. */
function missingQuorum({ before, state, snapshot, quorum }: Settled): MissingQuorum | undefined {
  const isWaiting = nextContenders(state, snapshot).length > 0
  if (state.duel !== undefined || state.champion === undefined || !isWaiting) return undefined

  const { weights, stakes, heard } = quorum
  const all = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
  const shareOf = (weight: number): number => Math.floor((1_000_000 * weight) / all)
  const missing = Object.entries(weights)
    .filter(([hotkey]) => !heard.has(hotkey))
    .sort(([, a], [, b]) => b - a)
    .map(([hotkey, weight]): MissingVoter => {
      const lastEpoch = before.attested?.[hotkey]?.epoch
      const droppedIn = (lastEpoch ?? before.epoch) + before.protocol.quorumEpochs
      const stake = stakes[hotkey] ?? ''
      return { hotkey, stake, weightPpm: shareOf(weight), lastEpoch, droppedIn }
    })
  const absent = missing.reduce((sum, { hotkey }) => sum + (weights[hotkey] ?? 0), 0)
  return { attestedPpm: all === 0 ? 0 : shareOf(all - absent), missing }
}

/** Active validators that attest another state of an epoch than was decided here. */
export interface OtherState {
  /** Ascending. */
  readonly hotkeys: readonly string[]
  /** Their share of the weight that a duel would have now, in ppm. */
  readonly weightPpm: number
}

/** Undefined if there are none. Releases with other constants come to this. Protocol §9.2. */
function otherState({ before, snapshot, quorum }: Settled): OtherState | undefined {
  const { weights, heard } = quorum
  const weightOf = (hotkey: string): number => weights[hotkey] ?? 0
  const others = snapshot.validators
    .filter(({ hotkey, attest }) => attest?.epoch === before.epoch && !heard.has(hotkey))
    .map(({ hotkey }) => hotkey)
    .filter((hotkey) => weightOf(hotkey) > 0)
    .sort()
  if (others.length === 0) return undefined
  const sumOf = (some: readonly string[]) => some.reduce((sum, each) => sum + weightOf(each), 0)
  const weightPpm = Math.floor((1_000_000 * sumOf(others)) / sumOf(Object.keys(weights)))
  return { hotkeys: others, weightPpm }
}

/** One decided epoch as a record for machines, its weighted counts exact. */
export function epochRecord(settled: Settled): object {
  const { epoch, root, crowned, lacking, others } = epochFacts(settled)
  const report = reportRecord(settled.report)
  return { type: 'epoch', epoch, root, crowned: crowned?.hotkey, lacking, others, report }
}

/** A report for machines: there, an environment's look is its `verdict`. */
function reportRecord(report: Report): object {
  const envs = Object.entries(report.envs).map(([env, seen]) => {
    const { look: verdict, ...rest } = seen
    return [env, { ...rest, verdict }]
  })
  return { ...report, envs: Object.fromEntries(envs) }
}
