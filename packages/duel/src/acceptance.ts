import type { Tally } from './evidence.ts'
import { quota } from './protocol.ts'
import { own, tabulate } from './record.ts'
import { type Attestation, type Duel, openEnvs, type Snapshot, type State, stateRoot, type Witnessed } from './state.ts'

/** What became of a due validator's lane. */
export interface LaneReport {
  readonly sealed: boolean
  readonly whole: boolean
  /** Who attests it, ascending, and their weight in ppm of the duel's. */
  readonly attesters: readonly string[]
  readonly attestedPpm: number
  readonly accepted: boolean
}

/** By hotkey, the attestations that count: of this epoch, and of this very state. */
export function attestations(state: State, { validators }: Snapshot): Readonly<Record<string, Attestation>> {
  const root = stateRoot(state)
  const counts = (attest: Attestation) => attest.epoch === state.epoch && attest.stateRoot === root
  return Object.fromEntries(
    validators.flatMap(({ hotkey, attest }) => (attest && counts(attest) ? [[hotkey, attest] as const] : [])),
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
  const most = (hotkey: string) => 2 * weightOf(duel, attestersOf(duel, heard, hotkey)) > weightOf(duel)
  return Object.keys(due).filter(most).sort()
}

/** What became of every due validator's lane. */
export function accept(
  { due, protocol, epoch }: State,
  duel: Duel,
  { heard, seals, lanes }: Witnessed,
): Readonly<Record<string, LaneReport>> {
  const played = quota(epoch - duel.start + 1, protocol)
  return tabulate(Object.keys(due), (hotkey) => {
    const lane = own(lanes, hotkey) ?? {}
    const sealed = Object.hasOwn(seals, hotkey)
    const whole = openEnvs(duel, protocol).every((env) => fills(own(lane, env), played))
    const attesters = attestersOf(duel, heard, hotkey)
    const attestedPpm = Number((1_000_000n * BigInt(weightOf(duel, attesters))) / BigInt(weightOf(duel) || 1))
    const accepted = sealed && whole && 2 * weightOf(duel, attesters) > weightOf(duel)
    return { sealed, whole, attesters, attestedPpm, accepted }
  })
}

/** What these voters, or all of them, weigh in a duel. */
export function weightOf({ weights }: Duel, voters: readonly string[] = Object.keys(weights)): number {
  return voters.reduce((sum, voter) => sum + (own(weights, voter) ?? 0), 0)
}

/** The voters whose attestation has the bit of `hotkey`, ascending. */
function attestersOf({ weights }: Duel, heard: Witnessed['heard'], hotkey: string): readonly string[] {
  const voters = Object.keys(weights).sort()
  const bit = voters.indexOf(hotkey)
  return voters.filter((voter) => (((own(heard, voter)?.bitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1)
}

/** A whole lane played the quota: all of it, and not more. */
function fills(tally: Tally | undefined, played: number): boolean {
  if (tally === undefined || tally.played !== played) return false
  const { wins, losses } = tally
  return Number.isInteger(wins) && Number.isInteger(losses) && wins >= 0 && losses >= 0 && wins + losses <= played
}
