/*
 * A validator whose lanes were void until nobody trusts it registers anew. Protocol §8.9 and §9.4: its
 * record goes once a snapshot is without its hotkey, so it has the trust of a newcomer, one half, and
 * no more; where the hotkey is back before the next snapshot, it keeps the record. Liars with less
 * than a third of the stake weigh less than a third among newcomers, and so do they beside who has
 * earned more.
 */
import { expect, test } from 'vitest'
import { decide, type State, trustOf } from '../../packages/duel/src/index.ts'
import { epochOf, miner, type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { drawn, listed, lying, playOut, votersOf } from './deciding.ts'

const voters = votersOf(7)
const [liars, honest] = [voters.slice(0, 2), voters.slice(2)]
const anew = ['w00', 'w01']

/** Everybody's lanes, of which those of liars, under any key, tell of wins alone. */
function factsOf(state: State, validators: readonly string[], scene: Scene = {}) {
  const told = validators.filter((voter) => !honest.includes(voter))
  const rates = lying(told, () => [1, 0], drawn(pcg64(BigInt(state.epoch)), state, 0.45))
  return epochOf(state, { validators, rates, ...scene })
}

/** The end of a duel in which their lanes were void, and the next one, where m3 is no better. */
const lied = playOut(startedDuels({ validators: voters }), (state) =>
  factsOf(state, voters, { broken: liars }),
).state
const waiting: Scene = { miners: [miner('m1'), miner('m3', 3)] }
const trustIn = ({ trust }: State, voters: readonly string[]) =>
  voters.map((voter) => trustOf(trust[voter]))

test.each([
  ['a new key', anew],
  ['the old one', liars],
] as const)('under %s it has a newcomer’s trust, and its lies crown nobody', (_, washed) => {
  for (const trust of trustIn(lied, liars)) expect(trust).toBeLessThan(400_000)
  // Away for one block that is read: that is what a new registration takes.
  const away = decide(lied, factsOf(lied, honest)).state
  expect(Object.keys(away.trust)).toEqual(honest)

  const all = [...washed, ...honest]
  // Whoever attests for the first time is a voter of the epoch after the next.
  const back = decide(away, factsOf(away, all)).state
  expect(Object.keys(back.voters)).toEqual(honest)
  const next = decide(back, factsOf(back, all, waiting)).state
  expect([listed(next), trustIn(next, washed)]).toEqual([['m3'], [500_000, 500_000]])
  const [best = 0] = trustIn(next, honest)
  for (const liar of washed)
    expect(next.voters[liar]).toBe(Math.floor((500_000 * 1_000_000) / best))
  const { state } = playOut(next, (state) => factsOf(state, all, waiting))
  expect(state.champion?.hotkey).toBe('m1')
  const [honestTrust = 0] = trustIn(state, honest)
  for (const trust of trustIn(state, washed)) expect(trust).toBeLessThan(honestTrust)
})

test('back before the next snapshot, under the old key, it keeps its record', () => {
  const next = decide(lied, factsOf(lied, voters, waiting)).state
  for (const trust of trustIn(next, liars)) expect(trust).toBeLessThan(400_000)
})
