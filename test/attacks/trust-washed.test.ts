/*
 * A validator whose lanes were void until nobody trusts it registers anew. Protocol §8.9 and §9.4: its record
 * goes once a snapshot is without its hotkey, so it has the trust of a newcomer, one half, and no
 * more; where the hotkey is back before the next snapshot, it keeps the record. Liars with less
 * than a third of the stake weigh less than a third of a duel of newcomers, and so do they beside
 * who has earned more. Protocol §8.1: who has no permit weighs nothing in the duel that goes on.
 */
import { expect, test } from 'vitest'
import { type DuelSnapshot, decide, type State, trustOf } from '../../packages/duel/src/index.ts'
import { epochOf, MAIN, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { duelSnapshot } from '../../packages/settlement/src/index.ts'
import { begin, drawn, playOut, votersOf } from './deciding.ts'

const voters = votersOf(7)
const [liars, honest] = [voters.slice(0, 2), voters.slice(2)]
const anew = ['w00', 'w01']

/** Everybody's lanes, of which those of liars, under any key, tell of wins alone. */
const lying = (
  state: State,
  validators: readonly string[],
  { miners = [miner('m1'), miner('m2', 2)], broken = [] }: Scene = {},
) => {
  const seen = drawn(pcg64(BigInt(state.epoch)), state, 0.45)
  const rates = (voter: string) => (honest.includes(voter) ? seen() : ([1, 0] as const))
  return epochOf(state, { validators, miners, rates, broken })
}

/** The end of a duel in which their lanes were void, and the next one, where m3 is no better. */
const lied = playOut(begin({ validators: voters }), (state) =>
  lying(state, voters, { broken: liars }),
).state
const waiting = [miner('m1'), miner('m3', 3)]
const trustIn = ({ trust }: State, voters: readonly string[]) =>
  voters.map((voter) => trustOf(trust[voter]))

test.each([
  ['a new key', anew],
  ['the old one', liars],
] as const)('under %s it has a newcomer’s trust, and its lies crown nobody', (_, washed) => {
  for (const trust of trustIn(lied, liars)) expect(trust).toBeLessThan(400_000)
  // Away for one block that is read: that is what a new registration takes.
  const away = decide(lied, lying(lied, honest)).state
  expect(Object.keys(away.trust)).toEqual(honest)

  const all = [...washed, ...honest]
  const scene = { miners: waiting }
  // Whoever attests for the first time votes in duels that start later.
  const back = decide(away, lying(away, all, { miners: [miner('m1')] })).state
  const next = decide(back, lying(back, all, scene)).state
  expect(trustIn(next, washed)).toEqual([500_000, 500_000])
  const [best = 0] = trustIn(next, honest)
  for (const liar of washed)
    expect(next.duel?.weights[liar]).toBe(Math.floor((500_000 * 1_000_000) / best))
  const { state } = playOut(next, (state) => lying(state, all, scene))
  expect(state.champion?.hotkey).toBe('m1')
  const [honestTrust = 0] = trustIn(state, honest)
  for (const trust of trustIn(state, washed)) expect(trust).toBeLessThan(honestTrust)
})

test('back before the next snapshot, under the old key, it keeps its record', () => {
  const readAt = (registered: number): DuelSnapshot => {
    const seat = { stake: 1000n, permit: true, registered, lastUpdate: registered }
    const neurons = voters.map((hotkey, uid) => ({ uid, hotkey, ...seat }))
    const head = { number: 0, hash: '' }
    const chain = { head, tempo: 360, revealPeriod: 0, neurons, commitments: [] }
    return duelSnapshot(chain, lied.epoch + 1, MAIN)
  }
  expect(readAt(900)).toEqual(readAt(0))
  const facts = lying(lied, voters, { miners: waiting })
  const { hotkeys } = readAt(900)
  const next = decide(lied, { ...facts, snapshot: { ...facts.snapshot, hotkeys } }).state
  for (const trust of trustIn(next, liars)) expect(trust).toBeLessThan(400_000)
})

test('in the duel that goes on, who is gone weighs nothing, and freezes nothing with three of seven', () => {
  const [gone, rest] = [voters.slice(0, 3), voters.slice(3)]
  const started = begin({ validators: voters })
  const facts = epochOf(started, { validators: rest, rates: [0.5, 0.5] })
  const { state, report } = decide(started, facts)
  expect(report.frozen).toBe(false)
  expect([Object.keys(state.due), Object.keys(state.trust)]).toEqual([rest, rest])
  const back = epochOf(state, { validators: voters, rates: [0.5, 0.5] })
  expect(trustIn(decide(state, back).state, gone)).toEqual([500_000, 500_000, 500_000])
})
