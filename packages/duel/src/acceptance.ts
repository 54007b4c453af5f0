import { bitReader } from './bitmap.ts'
import type { Attestation, DuelSnapshot, Heard } from './snapshot.ts'
import { type Duel, type State, stateRoot } from './state.ts'
import { weightOf } from './voters.ts'

/** The head each validator had on chain when lanes closed. */
export type Seals = State['heads']

/** The attestations of this epoch, and of this very state. Protocol §8.3. */
export function countedAttestations(state: State, { validators }: DuelSnapshot): Heard {
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
export function attestersOf(duel: Duel, heard: Heard, hotkey: string): readonly string[] {
  const hasBit = bitReader(duel, hotkey)
  const attests = (voter: string): boolean => {
    const attestation = heard.get(voter)
    return attestation !== undefined && hasBit(attestation.bitmap)
  }
  return Object.keys(duel.weights).filter(attests).sort()
}

/** Have these voters more than half of the duel's weight? It makes a lane count. Protocol §8.3. */
export function isMajority(duel: Duel, voters: readonly string[]): boolean {
  return 2 * weightOf(duel, voters) > weightOf(duel)
}

/** Do the accepted lanes weigh too little for tallies and verdicts? Protocol §8.3. */
export function isFrozen(duel: Duel, accepted: readonly string[]): boolean {
  return 3 * weightOf(duel, accepted) < 2 * weightOf(duel)
}

/**
 * The due validators whose lanes more than half of the duel's weight attests, ascending: the lanes
 * to have before calling `decide`, which takes an absent lane for its validator's fault.
 * Protocol §6.5.
 */
export function attestedLanes(state: State, snapshot: DuelSnapshot): readonly string[] {
  const { duel } = state
  if (duel === undefined) return []
  const heard = countedAttestations(state, snapshot)
  return Object.keys(state.due)
    .filter((hotkey) => isMajority(duel, attestersOf(duel, heard, hotkey)))
    .sort()
}
