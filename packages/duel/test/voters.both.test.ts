import { expect, test } from 'vitest'
import epochs from '../../../vectors/duel/acceptance.json' with { type: 'json' }
import duels from '../../../vectors/duel/weights.json' with { type: 'json' }
import { countedAttestations } from '../src/acceptance.ts'
import {
  attestedLanes,
  type Duel,
  decide,
  type Facts,
  firstState,
  type State,
  weighToday,
} from '../src/index.ts'
import { stakesOf, votingStakes, weightOf, weighVoters } from '../src/voters.ts'
import { epochOf, HEAD, MAIN, MULT8, NEXT } from './subnet.ts'

const first = firstState(MAIN, 10)
const started = decide(first, epochOf(first)).state
const { snapshot } = epochOf(started)

/** A duel with these voters. */
const duelOf = (voters: Pick<Duel, 'weights' | 'stakes'>): Duel => ({ ...started.duel!, ...voters })
const recordOf = <Value>(hotkeys: readonly string[], value: Value) =>
  Object.fromEntries(hotkeys.map((hotkey) => [hotkey, value]))

const bytesOf = (hex: string) =>
  Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number(`0x${hex.slice(2 * i, 2 * i + 2)}`))

type Voter = [hotkey: string, stake: string, correct: number, incorrect: number]

test('three hundred duels weigh, at their start and later, as a second implementation says', () => {
  const weighed = duels.vectors.map(({ validators, attested, most, now }) => {
    const voters = validators as Voter[]
    const last = Object.entries(attested).map(([hotkey, stake]) => [hotkey, { epoch: 9, stake }])
    const trust = voters.map(([hotkey, , correct, incorrect]) => [hotkey, { correct, incorrect }])
    const then = {
      ...snapshot,
      protocol: { ...MAIN, validatorsMost: most },
      validators: voters.map(([hotkey, stake]) => ({ hotkey, stake: BigInt(stake) })),
    }
    const voting = votingStakes(Object.fromEntries(last), then)
    const start = weighVoters(voting, Object.fromEntries(trust), then.protocol)
    const later = Object.entries(now).map(([hotkey, stake]) => ({ hotkey, stake: BigInt(stake) }))
    const duel = duelOf({ weights: start, stakes: stakesOf(start, voting) })
    return { start, want: weighToday(duel, { ...snapshot, validators: later }) }
  })
  expect(weighed).toEqual(duels.vectors.map(({ start, want }) => ({ start, want })))
})

/** The first epoch of a duel in which all had a stake of 1000, with what is on chain at its end. */
function epochFrom(drawn: (typeof epochs.vectors)[number]): { state: State; facts: Facts } {
  const weights = drawn.weights as unknown as Record<string, number>
  const attests = drawn.attests as unknown as Record<string, [bitmap: string, wrong: string]>
  const voters = Object.keys(weights)
  const duel = duelOf({ weights, stakes: recordOf(voters, '1000') })
  const state = { ...started, duel, due: recordOf(drawn.due, NEXT) }
  const without = (some: readonly string[]) => voters.filter((voter) => !some.includes(voter))
  const facts = epochOf(state, {
    validators: voters,
    unsealed: without(drawn.sealed),
    broken: without(drawn.whole),
  })
  const [{ attest } = {}] = facts.snapshot.validators
  const validators = Object.entries(drawn.now).map(([hotkey, stake]) => {
    const [bitmap, wrong] = attests[hotkey] ?? []
    const said = attest && bitmap !== undefined && { ...attest, bitmap: bytesOf(bitmap) }
    if (said && wrong === 'epoch') said.epoch -= 1
    if (said && wrong === 'root') said.stateRoot = HEAD
    return { hotkey, stake: BigInt(stake), ...(said && { attest: said }) }
  })
  return { state, facts: { ...facts, snapshot: { ...facts.snapshot, validators } } }
}

test('four hundred epochs are frozen, or take lanes, as a second implementation says', () => {
  const seen = epochs.vectors.map((drawn) => {
    const { state, facts } = epochFrom(drawn)
    const heard = countedAttestations(state, facts.snapshot)
    const today = weighToday(state.duel!, facts.snapshot)
    const { state: next, report } = decide(state, facts)
    return {
      attesting: weightOf(today, [...heard.keys()]),
      frozen: report.frozen,
      asked: attestedLanes(state, facts.snapshot),
      accepted: Object.keys(next.duel?.tallies[MULT8]?.[0] ?? {}).sort(),
    }
  })
  expect(seen).toEqual(epochs.vectors.map(({ want }) => want))
})

test('whoever has no stake, or one below zero, weighs nothing', () => {
  const active = recordOf(['a', 'b', 'c'], { epoch: 9, stake: '9' })
  const withStakes = (stakes: Readonly<Record<string, bigint>>) => ({
    ...snapshot,
    validators: Object.entries(stakes).map(([hotkey, stake]) => ({ hotkey, stake })),
  })
  const weigh = (stakes: Readonly<Record<string, bigint>>) =>
    weighVoters(votingStakes(active, withStakes(stakes)), {}, MAIN)
  expect(weigh({ a: 0n, b: -1n, c: -2n })).toEqual({})
  expect(weigh({ a: 7n, b: 0n, c: -2n })).toEqual({ a: 1_000_000 })
  const duel = duelOf({ weights: { a: 1_000_000, b: 500_000 }, stakes: { a: '8', b: '4' } })
  expect(weighToday(duel, withStakes({ a: -8n, b: 0n }))).toEqual({ a: 0, b: 0 })
})
