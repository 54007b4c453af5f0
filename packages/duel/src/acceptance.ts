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
  /** Who attests it, ascending, and their weight in ppm of the duel's. */
  readonly attesters: readonly string[]
  readonly attestedPpm: number
  readonly accepted: boolean
}

/** Those that count, by hotkey. */
export type Attestations = Readonly<Record<string, Attestation>>

/** What an epoch left behind. */
export interface Given {
  readonly heard: Attestations
  readonly seals: Seals
  readonly lanes: Lanes
}

/** The attestations of this epoch, and of this very state. */
export function attestations(state: State, { validators }: Snapshot): Attestations {
  const root = stateRoot(state)
  const counts = (attest?: Attestation) => attest?.epoch === state.epoch && attest.stateRoot === root
  return Object.fromEntries(
    validators.flatMap(({ hotkey, attest }) => (attest && counts(attest) ? [[hotkey, attest]] : [])),
  )
}

/**
 * The due validators whose lanes more than half of the duel's weight attests, ascending: the lanes to have before
 * calling `decide`, which takes an absent lane for its validator's fault.
 */
export function attested(state: State, snapshot: Snapshot): readonly string[] {
  const { duel, due } = state
  if (duel === undefined) return []
  const heard = attestations(state, snapshot)
  return Object.keys(due)
    .filter((hotkey) => 2 * weightOf(duel, attestersOf(duel, heard, hotkey)) > weightOf(duel))
    .sort()
}

/** What became of every due validator's lane, and whether the accepted ones are too few to count: under 2W/3. */
export function accept(
  { due, protocol, epoch }: State,
  duel: Duel,
  { heard, seals, lanes }: Given,
): { readonly reports: Readonly<Record<string, LaneReport>>; readonly frozen: boolean } {
  const total = weightOf(duel)
  const played = quota(epoch - duel.start + 1, protocol)
  const open = openEnvs(duel, protocol)
  const reports = tabulate(Object.keys(due), (hotkey) => {
    const lane = own(lanes, hotkey) ?? {}
    const attesters = attestersOf(duel, heard, hotkey)
    const weight = weightOf(duel, attesters)
    const sealed = Object.hasOwn(seals, hotkey)
    const whole = open.every((env) => fills(own(lane, env), played))
    const attestedPpm = Number((BigInt(weight) * 1_000_000n) / BigInt(Math.max(total, 1)))
    return { sealed, whole, attesters, attestedPpm, accepted: sealed && whole && 2 * weight > total }
  })
  const accepted = Object.keys(reports).filter((hotkey) => own(reports, hotkey)?.accepted)
  return { reports, frozen: 3 * weightOf(duel, accepted) < 2 * total }
}

/** The voters whose attestation has the bit of `hotkey`, ascending. */
function attestersOf({ weights }: Duel, heard: Attestations, hotkey: string): readonly string[] {
  const voters = Object.keys(weights).sort()
  const bit = voters.indexOf(hotkey)
  return voters.filter((voter) => (((own(heard, voter)?.bitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1)
}

function weightOf({ weights }: Duel, voters: readonly string[] = Object.keys(weights)): number {
  return voters.reduce((sum, voter) => sum + (own(weights, voter) ?? 0), 0)
}

/** A whole lane played the quota: all of it, and not more. */
function fills(tally: Tally | undefined, played: number): boolean {
  if (tally === undefined || tally.played !== played) return false
  const { wins, losses } = tally
  return Number.isInteger(wins) && Number.isInteger(losses) && wins >= 0 && losses >= 0 && wins + losses <= played
}
