import { own } from '@affine/prng'
import { pickKeys, tabulate } from './own-keys.ts'
import { quotasOf } from './played.ts'
import {
  type Attestation,
  type CountedAttestations,
  type DuelSnapshot,
  type State,
  stateRoot,
} from './state.ts'
import { isWithinQuota, type LaneTally } from './tally.ts'
import { sumWeight } from './voters.ts'

/** The head each validator had on chain when lanes closed. */
export type Seals = State['heads']

/**
 * Whole lanes by validator, then contender, then environment. A lane that is not whole, or not
 * found, is absent.
 */
export type Lanes = Readonly<Record<string, LaneTallies>>

/** What a lane saw, by contender's hotkey, then by environment. Protocol §6.5. */
export type LaneTallies = Readonly<Record<string, Readonly<Record<string, LaneTally>>>>

/** Why a due validator's lane counts, or why it does not. */
export interface Acceptance {
  readonly sealed: boolean
  /** Who attests it, ascending, and whether they are enough: in a frozen epoch nobody is. */
  readonly attesters: readonly string[]
  readonly attested: boolean
  /** If it is sealed and attested, but not accepted, it is not whole. */
  readonly accepted: boolean
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
  return pickKeys(seals, Object.keys(due))
}

/** Does too little weight attest to say what happened? Protocol §8.3. */
export function isFrozen({ voters }: Pick<State, 'voters'>, heard: CountedAttestations): boolean {
  const attesting = sumWeight(voters, [...heard.keys()])
  return attesting === 0 || 3 * attesting < 2 * sumWeight(voters)
}

/**
 * Which lanes count, by due validator, ascending: the account of an epoch is the same whether the
 * state was computed or read. Protocol §8.3.
 */
export function acceptLanes(
  state: State,
  { heard, seals, lanes }: EpochInputs,
): Readonly<Record<string, Acceptance>> {
  const quotas = Object.entries(quotasOf(state))
  const attestersOf = laneAttesters(state, heard)
  return tabulate(Object.keys(state.due).sort(), (hotkey): Acceptance => {
    const lane = own(lanes, hotkey)
    const sealed = Object.hasOwn(seals, hotkey)
    const fits = ([contender, envs]: (typeof quotas)[number]): boolean => {
      const seen = own(lane, contender)
      return Object.entries(envs).every(([env, quota]) => isWithinQuota(own(seen, env), quota))
    }
    // A lane that plays nothing is whole, too, only if it was found.
    const whole = lane !== undefined && quotas.every(fits)
    const attesters = own(attestersOf, hotkey) ?? []
    const attested = isMajority(state, heard, attesters)
    return { sealed, attesters, attested, accepted: sealed && whole && attested }
  })
}

/** What is known of an epoch: what is attested, seals, and whole lanes. */
export interface EpochInputs {
  readonly heard: CountedAttestations
  readonly seals: Seals
  readonly lanes: Lanes
}

/** By due validator, whose attestations have its lane's bit, ascending. Protocol §8.3. */
export function laneAttesters(
  { due, voters }: State,
  heard: CountedAttestations,
): Readonly<Record<string, readonly string[]>> {
  const attesting = [...heard].filter(([voter]) => Object.hasOwn(voters, voter))
  return tabulate(Object.keys(due), (hotkey) => {
    const hasBit = createBitReader(voters, hotkey)
    const attesters = attesting.filter(([, { bitmap }]) => hasBit(bitmap))
    return attesters.map(([voter]) => voter).sort()
  })
}

/**
 * Do these voters attest for enough: more than half of the weight that attests, in an epoch that is
 * not frozen? A lane needs it. Protocol §8.3.
 */
function isMajority(state: State, heard: CountedAttestations, voters: readonly string[]): boolean {
  if (isFrozen(state, heard)) return false
  return 2 * sumWeight(state.voters, voters) > sumWeight(state.voters, [...heard.keys()])
}

/**
 * The due validators whose lanes enough weight attests, ascending: the lanes to have before calling
 * `decide`, which takes an absent lane for its validator's fault. None in an epoch that is frozen.
 * Protocol §6.5.
 */
export function attestedLanes(state: State, heard: CountedAttestations): readonly string[] {
  return Object.entries(laneAttesters(state, heard))
    .filter(([, attesters]) => isMajority(state, heard, attesters))
    .map(([hotkey]) => hotkey)
    .sort()
}

const BYTES = 16

/** The hotkeys that bits stand for, from bit 0 on: the voters, ascending. */
const bitOrder = (voters: State['voters']): readonly string[] => Object.keys(voters).sort()

/**
 * The bitmap of an attestation: 16 bytes, in each the lowest bit first, set for the lanes of
 * `whole`. Protocol §5.2.
 */
export function encodeBitmap(voters: State['voters'], whole: ReadonlySet<string>): Uint8Array {
  const bitmap = new Uint8Array(BYTES)
  for (const [bit, hotkey] of bitOrder(voters).entries()) {
    if (whole.has(hotkey)) bitmap[bit >> 3] = (bitmap[bit >> 3] ?? 0) | (1 << (bit & 7))
  }
  return bitmap
}

/** Reads bitmaps: has one the bit of `hotkey`'s lane? Protocol §5.2. */
export function createBitReader(
  voters: State['voters'],
  hotkey: string,
): (bitmap: Uint8Array) => boolean {
  const bit = bitOrder(voters).indexOf(hotkey)
  return (bitmap) => bit !== -1 && (((bitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1
}
