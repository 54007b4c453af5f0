/*
 * A validator that has lost its trust by void lanes registers again. Protocol §8.9, §9.4: once a
 * snapshot lacks its hotkey, it has a newcomer's trust of one half; if the hotkey is back earlier,
 * its counts stay. Liars with less than a third of the stake never have a third of the weight.
 */
import { expect, test } from 'vitest'
import { computeTrust, decide, type State } from '../../packages/duel/src/index.ts'
import { epochOf, miner, type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { contendersIn, drawRates, playOut, votersOf, withLies } from './deciding.ts'

const voters = votersOf(7)
const [liars, honest] = [voters.slice(0, 2), voters.slice(2)]
const anew = ['w00', 'w01']

/** Returns an epoch in which liars, under any key, report only wins. */
function factsOf(state: State, validators: readonly string[], scene: Scene = {}) {
  const liarKeys = validators.filter((voter) => !honest.includes(voter))
  const rates = withLies(liarKeys, () => [1, 0], drawRates(pcg64(BigInt(state.epoch)), state, 0.45))
  return epochOf(state, { validators, rates, ...scene })
}

/** The state after a duel in which the liars' lanes were void. */
const lied = playOut(startedDuels({ validators: voters }), (state) =>
  factsOf(state, voters, { broken: liars }),
).state
const waiting: Scene = { miners: [miner('m1'), miner('m3', 3)] }
const trustIn = ({ trust }: State, voters: readonly string[]) =>
  voters.map((voter) => computeTrust(trust[voter]))

test.each([
  ['a new key', anew],
  ['the old key', liars],
] as const)('gives liars a newcomer’s trust under %s, and crowns no one by lies', (_, newKeys) => {
  for (const trust of trustIn(lied, liars)) expect(trust).toBeLessThan(400_000)
  // A new registration takes the hotkey out of one snapshot.
  const away = decide(lied, factsOf(lied, honest)).state
  expect(Object.keys(away.trust)).toEqual(honest)

  const all = [...newKeys, ...honest]
  // A validator that attests for the first time is a voter of the epoch after the next.
  const back = decide(away, factsOf(away, all)).state
  expect(Object.keys(back.voters)).toEqual(honest)
  const next = decide(back, factsOf(back, all, waiting)).state
  expect([contendersIn(next), trustIn(next, newKeys)]).toEqual([['m3'], [500_000, 500_000]])
  const [best = 0] = trustIn(next, honest)
  for (const liar of newKeys)
    expect(next.voters[liar]).toBe(Math.floor((500_000 * 1_000_000) / best))
  const { state } = playOut(next, (state) => factsOf(state, all, waiting))
  expect(state.champion?.hotkey).toBe('m1')
  const [honestTrust = 0] = trustIn(state, honest)
  for (const trust of trustIn(state, newKeys)) expect(trust).toBeLessThan(honestTrust)
})

test('keeps the counts of liars if their old keys are back before the next snapshot', () => {
  const next = decide(lied, factsOf(lied, voters, waiting)).state
  for (const trust of trustIn(next, liars)) expect(trust).toBeLessThan(400_000)
})
