import {
  type Attestation,
  type CountedAttestations,
  type Duel,
  type DuelSnapshot,
  type State,
  stateRoot,
  type Weights,
} from './state.ts'
import { weighToday, weightOf } from './voters.ts'

/** The head each validator had on chain when lanes closed. */
export type Seals = State['heads']

/** The voters of an epoch: what they weigh in it, and the attestations that count. */
export interface Attendance {
  readonly weights: Weights
  readonly heard: CountedAttestations
}

/** The attestations of this epoch, and of this very state. Protocol §8.3. */
export function countedAttestations(
  state: State,
  { validators }: DuelSnapshot,
): CountedAttestations {
  const root = stateRoot(state)
  const heard = new Map<string, Attestation>()
  for (const { hotkey, attest } of validators) {
    if (attest?.epoch === state.epoch && attest.stateRoot === root) heard.set(hotkey, attest)
  }
  return heard
}

/** The seals of validators that are due: nobody else's lane counts. Protocol §9.4. */
export function dueSeals({ due }: State, seals: Seals): Seals {
  return Object.fromEntries(Object.entries(seals).filter(([hotkey]) => Object.hasOwn(due, hotkey)))
}

/** The voters whose attestation has the bit of `hotkey`, ascending. Protocol §8.3. */
export function attestersOf(
  duel: Duel,
  heard: CountedAttestations,
  hotkey: string,
): readonly string[] {
  const hasBit = bitReader(duel, hotkey)
  const attests = (voter: string): boolean => {
    const attestation = heard.get(voter)
    return attestation !== undefined && hasBit(attestation.bitmap)
  }
  return Object.keys(duel.weights).filter(attests).sort()
}

/** By due validator, whose attestations have its lane's bit; none without a duel. Protocol §8.3. */
export function laneAttesters(
  state: State,
  snapshot: DuelSnapshot,
): Readonly<Record<string, readonly string[]>> {
  const { duel, due } = state
  if (duel === undefined) return {}
  const heard = countedAttestations(state, snapshot)
  const all = Object.keys(due).map((hotkey) => [hotkey, attestersOf(duel, heard, hotkey)])
  return Object.fromEntries(all)
}

/**
 * Do these voters attest for enough: more than half of the weight that attests, in an epoch that is
 * not frozen? A lane needs it. Protocol §8.3.
 */
export function isMajority(attendance: Attendance, voters: readonly string[]): boolean {
  if (isFrozen(attendance)) return false
  return 2 * weightOf(attendance.weights, voters) > attestingWeight(attendance)
}

/** Does too little weight attest to say what happened? Protocol §8.3. */
export function isFrozen(attendance: Attendance): boolean {
  const attesting = attestingWeight(attendance)
  return attesting === 0 || 3 * attesting < 2 * weightOf(attendance.weights)
}

const attestingWeight = ({ weights, heard }: Attendance): number =>
  weightOf(weights, [...heard.keys()])

/**
 * The due validators whose lanes enough weight attests, ascending: the lanes to have before calling
 * `decide`, which takes an absent lane for its validator's fault. None in an epoch that is frozen.
 * Protocol §6.5.
 */
export function attestedLanes(state: State, snapshot: DuelSnapshot): readonly string[] {
  const { duel } = state
  if (duel === undefined) return []
  const heard = countedAttestations(state, snapshot)
  const attendance = { weights: weighToday(duel, snapshot), heard }
  return Object.keys(state.due)
    .filter((hotkey) => isMajority(attendance, attestersOf(duel, heard, hotkey)))
    .sort()
}

const BYTES = 16

type Voters = Pick<Duel, 'weights'>

/** The hotkeys that bits stand for, from bit 0 on: those of the duel's weights, ascending. */
function bitOrder({ weights }: Voters): readonly string[] {
  return Object.keys(weights).sort()
}

/**
 * The bitmap of an attestation: 16 bytes, in each the lowest bit first, set for the lanes of
 * `whole`. Protocol §5.2.
 */
export function encodeBitmap(voters: Voters, whole: ReadonlySet<string>): Uint8Array {
  const bitmap = new Uint8Array(BYTES)
  for (const [bit, hotkey] of bitOrder(voters).entries()) {
    if (whole.has(hotkey)) bitmap[bit >> 3] = (bitmap[bit >> 3] ?? 0) | (1 << (bit & 7))
  }
  return bitmap
}

/** Reads bitmaps: has one the bit of `hotkey`'s lane? Protocol §5.2. */
export function bitReader(voters: Voters, hotkey: string): (bitmap: Uint8Array) => boolean {
  const bit = bitOrder(voters).indexOf(hotkey)
  return (bitmap) => bit !== -1 && (((bitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1
}
