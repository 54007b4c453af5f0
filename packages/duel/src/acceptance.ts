import { own } from '@affine/prng'
import { mapValues, pickKeys, tabulate } from './own-keys.ts'
import { computeQuotas } from './played.ts'
import {
  type Attestation,
  type CountedAttestations,
  type DuelSnapshot,
  type State,
  stateRoot,
} from './state.ts'
import { isWithinQuota, type LaneTally } from './tally.ts'
import { sumWeight } from './voters.ts'

/** Heads on chain at the seal block, by validator. */
export type Seals = State['heads']

/** Tallies of valid lanes by validator. */
export type Lanes = Readonly<Record<string, LaneTallies>>

/** A lane's tallies by contender's hotkey, then by environment. Protocol §6.5. */
export type LaneTallies = Readonly<Record<string, Readonly<Record<string, LaneTally>>>>

/** The facts that decide whether a due validator's lane counts. */
export interface Acceptance {
  readonly sealed: boolean
  /** Voters that attest the lane, ascending. */
  readonly attesters: readonly string[]
  /** Whether the attesters have enough weight. False in a frozen epoch. */
  readonly attested: boolean
  /** Whether the lane counts: it is sealed, attested and valid. */
  readonly accepted: boolean
}

/** Returns the attestations that have the epoch and the root of `state`. Protocol §8.3. */
export function countedAttestations(
  state: State,
  { validators }: DuelSnapshot,
): CountedAttestations {
  const root = stateRoot(state)
  const attestations = new Map<string, Attestation>()
  for (const { hotkey, attest } of validators) {
    if (attest?.epoch === state.epoch && attest.stateRoot === root) attestations.set(hotkey, attest)
  }
  return attestations
}

/** Returns the seals of due validators: only their lanes count. Protocol §8.1. */
export function dueSeals({ due }: State, seals: Seals): Seals {
  return pickKeys(seals, Object.keys(due))
}

/** Reports whether too little weight attests to decide the epoch. Protocol §8.3. */
export function isFrozen(
  { voters }: Pick<State, 'voters'>,
  attestations: CountedAttestations,
): boolean {
  const attesting = sumWeight(voters, [...attestations.keys()])
  return attesting === 0 || 3 * attesting < 2 * sumWeight(voters)
}

/** Returns the acceptance of each lane by due validator, ascending. Protocol §8.3. */
export function acceptLanes(
  state: State,
  { attestations, seals, lanes }: EpochInputs,
): Readonly<Record<string, Acceptance>> {
  const quotas = Object.entries(computeQuotas(state))
  return mapValues(findAttesters(state, attestations), (seen, hotkey): Acceptance => {
    const lane = own(lanes, hotkey)
    const sealed = Object.hasOwn(seals, hotkey)
    const fits = ([contender, envs]: (typeof quotas)[number]): boolean => {
      const tallies = own(lane, contender)
      return Object.entries(envs).every(([env, quota]) => isWithinQuota(own(tallies, env), quota))
    }
    // Without a lane nothing is accepted, even if no challenges are due.
    const whole = lane !== undefined && quotas.every(fits)
    return { sealed, ...seen, accepted: sealed && whole && seen.attested }
  })
}

export interface EpochInputs {
  readonly attestations: CountedAttestations
  readonly seals: Seals
  readonly lanes: Lanes
}

/**
 * Returns, by due validator ascending, the voters whose attestations have the bit of its lane, and
 * whether their weight is enough: more than half of the weight that attests, in an epoch that is
 * not frozen. `decide` needs the attested lanes, and counts a missing lane against its validator.
 * Protocol §6.5, §8.3.
 */
export function findAttesters(
  state: State,
  attestations: CountedAttestations,
): Readonly<Record<string, Pick<Acceptance, 'attesters' | 'attested'>>> {
  const { due, voters } = state
  const attesting = [...attestations].filter(([voter]) => Object.hasOwn(voters, voter))
  const frozen = isFrozen(state, attestations)
  return tabulate(Object.keys(due).sort(), (hotkey) => {
    const hasBit = createBitReader(voters, hotkey)
    const having = attesting.filter(([, { bitmap }]) => hasBit(bitmap))
    const attesters = having.map(([voter]) => voter).sort()
    const isMajority =
      2 * sumWeight(voters, attesters) > sumWeight(voters, [...attestations.keys()])
    return { attesters, attested: isMajority && !frozen }
  })
}

const BYTES = 16

/** Returns the voters' hotkeys in the order of their bits: ascending. */
const bitOrder = (voters: State['voters']): readonly string[] => Object.keys(voters).sort()

/**
 * Returns an attestation's bitmap: 16 bytes with a bit for each voter, the lowest bit of a byte
 * first. The bits of the voters in `whole` are set. Protocol §5.2.
 */
export function encodeBitmap(voters: State['voters'], whole: ReadonlySet<string>): Uint8Array {
  const bitmap = new Uint8Array(BYTES)
  for (const [bit, hotkey] of bitOrder(voters).entries()) {
    if (whole.has(hotkey)) bitmap[bit >> 3] = (bitmap[bit >> 3] ?? 0) | (1 << (bit & 7))
  }
  return bitmap
}

/**
 * Returns a function that reports whether a bitmap has the bit of `hotkey`'s lane. Protocol §5.2.
 */
export function createBitReader(
  voters: State['voters'],
  hotkey: string,
): (bitmap: Uint8Array) => boolean {
  const bit = bitOrder(voters).indexOf(hotkey)
  return (bitmap) => bit !== -1 && (((bitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1
}
