import type { Tally } from './evidence.ts'
import { quota } from './protocol.ts'
import { own, tabulate } from './record.ts'
import {
  type Attestation,
  type Duel,
  type Lanes,
  openEnvs,
  type Seals,
  type Snapshot,
  type State,
  stateRoot,
} from './state.ts'

/** What became of a due validator's lane. */
export interface LaneReport {
  readonly sealed: boolean
  readonly whole: boolean
  /** The weight that attests it, in ppm of the duel's. */
  readonly attestedPpm: number
  readonly accepted: boolean
}

export type Attestations = ReadonlyMap<string, Attestation>

/** By hotkey, the attestations that count: of this epoch, and of this very state. */
export function attestations(state: State, { validators }: Snapshot): Attestations {
  const root = stateRoot(state)
  const heard = new Map<string, Attestation>()
  for (const { hotkey, attest } of validators) {
    if (attest?.epoch === state.epoch && attest.stateRoot === root) heard.set(hotkey, attest)
  }
  return heard
}

/**
 * The due validators whose lanes more than half of the duel's weight attests, ascending: the lanes to have before
 * calling `decide`, which takes an absent lane for its validator's fault.
 */
export function attested(state: State, snapshot: Snapshot): readonly string[] {
  if (state.duel === undefined) return []
  const { total, supports } = tallyOf(state.duel, attestations(state, snapshot))
  return Object.keys(state.due)
    .filter((hotkey) => 2 * supports(hotkey) > total)
    .sort()
}

/** What became of every due validator's lane, and whether the accepted ones are too few to count: under 2W/3. */
export function accept(
  { due, protocol, epoch }: State,
  duel: Duel,
  heard: Attestations,
  seals: Seals,
  lanes: Lanes,
): { readonly reports: Readonly<Record<string, LaneReport>>; readonly frozen: boolean } {
  const { total, supports } = tallyOf(duel, heard)
  const played = quota(epoch - duel.start + 1, protocol)
  const open = openEnvs(duel, protocol)
  const report = (hotkey: string): LaneReport => {
    const lane = own(lanes, hotkey) ?? {}
    const support = supports(hotkey)
    const sealed = Object.hasOwn(seals, hotkey)
    const whole = open.every((env) => fills(own(lane, env), played))
    const attestedPpm = Number((BigInt(support) * 1_000_000n) / BigInt(Math.max(total, 1)))
    return { sealed, whole, attestedPpm, accepted: sealed && whole && 2 * support > total }
  }
  const reports = tabulate(Object.keys(due), report)
  const accepted = Object.keys(reports).filter((hotkey) => own(reports, hotkey)?.accepted)
  return { reports, frozen: 3 * sum(accepted.map((hotkey) => own(duel.weights, hotkey) ?? 0)) < 2 * total }
}

/** The duel's weight, and how much of it attests a lane. */
function tallyOf({ weights }: Duel, heard: Attestations): { total: number; supports: (hotkey: string) => number } {
  const voters = Object.keys(weights).sort()
  const supports = (hotkey: string) => {
    const bit = voters.indexOf(hotkey)
    const says = (voter: string) => (((heard.get(voter)?.bitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1
    return bit < 0 ? 0 : sum(voters.filter(says).map((voter) => weights[voter] ?? 0))
  }
  return { total: sum(Object.values(weights)), supports }
}

/** A whole lane played the quota: all of it, and not more. */
function fills(tally: Tally | undefined, played: number): boolean {
  if (tally === undefined || tally.played !== played) return false
  const { wins, losses } = tally
  return Number.isInteger(wins) && Number.isInteger(losses) && wins >= 0 && losses >= 0 && wins + losses <= played
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
