import { expect, test } from 'vitest'
import epochs from '../../../vectors/duel/acceptance.json' with { type: 'json' }
import weights from '../../../vectors/duel/weights.json' with { type: 'json' }
import {
  countedAttestations,
  decide,
  type Facts,
  findAttesters,
  type State,
  votingStakes,
  type Weights,
} from '../src/index.ts'
import { sumWeight, weighVoters } from '../src/voters.ts'
import { epochOf, HEAD, MAIN, MULT8, NEXT, startedDuels } from './subnet.ts'

const started = startedDuels()
const { snapshot } = epochOf(started)
const recordOf = <Value>(hotkeys: readonly string[], value: Value) =>
  Object.fromEntries(hotkeys.map((hotkey) => [hotkey, value]))

const bytesOf = (hex: string) =>
  Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number(`0x${hex.slice(2 * i, 2 * i + 2)}`))

type Voter = [hotkey: string, stake: string, correct: number, incorrect: number]

test('the voters of three hundred epochs have the weights of a second implementation', () => {
  const weighed = weights.vectors.map(({ validators, attested, most }) => {
    const voters = validators as Voter[]
    const last = Object.entries(attested).map(([hotkey, stake]) => [hotkey, { epoch: 9, stake }])
    const trust = voters.map(([hotkey, , correct, incorrect]) => [hotkey, { correct, incorrect }])
    const seen = {
      ...snapshot,
      protocol: { ...MAIN, validatorsMost: most },
      validators: voters.map(([hotkey, stake]) => ({ hotkey, stake: BigInt(stake) })),
    }
    const voting = votingStakes(Object.fromEntries(last), seen)
    return weighVoters(voting, Object.fromEntries(trust), seen.protocol)
  })
  expect(weighed).toEqual(weights.vectors.map(({ want }) => want))
})

/** Returns the state of the first epoch of a duel, and the facts that decide the epoch. */
function epochFrom(drawn: (typeof epochs.vectors)[number]): { state: State; facts: Facts } {
  const voters = drawn.weights as unknown as Weights
  const attests = drawn.attests as unknown as Record<string, [bitmap: string, wrong: string]>
  const hotkeys = Object.keys(voters)
  const state = { ...started, voters, due: recordOf(drawn.due, NEXT) }
  const without = (some: readonly string[]) => hotkeys.filter((voter) => !some.includes(voter))
  const facts = epochOf(state, {
    validators: [...hotkeys, 's'],
    unsealed: without(drawn.sealed),
    broken: without(drawn.whole),
  })
  const validators = facts.snapshot.validators.flatMap(({ hotkey, stake, attest }) => {
    const [bitmap, wrong] = attests[hotkey] ?? []
    if (wrong === 'permit') return []
    const attestation = attest && bitmap !== undefined && { ...attest, bitmap: bytesOf(bitmap) }
    if (attestation && wrong === 'epoch') attestation.epoch -= 1
    if (attestation && wrong === 'root') attestation.stateRoot = HEAD
    return [{ hotkey, stake, ...(attestation && { attest: attestation }) }]
  })
  return { state, facts: { ...facts, snapshot: { ...facts.snapshot, validators } } }
}

test('four hundred epochs are frozen, or accept lanes, as in a second implementation', () => {
  const seen = epochs.vectors.map((drawn) => {
    const { state, facts } = epochFrom(drawn)
    const counted = countedAttestations(state, facts.snapshot)
    const { state: next, report } = decide(state, facts)
    const attestations = Object.entries(findAttesters(state, counted))
    return {
      attesting: sumWeight(state.voters, [...counted.keys()]),
      frozen: report.frozen,
      asked: attestations.flatMap(([lane, { attested }]) => (attested ? [lane] : [])),
      accepted: Object.keys(next.duels[0]?.tallies[0]?.[MULT8] ?? {}).sort(),
    }
  })
  expect(seen).toEqual(epochs.vectors.map(({ want }) => want))
})
