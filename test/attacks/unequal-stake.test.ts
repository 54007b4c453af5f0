/*
 * Honest validators have stakes of 50, 25 and 15, and a liar has 43. One honest validator is absent
 * when a duel starts. Protocol §8.1, §8.3: the absent validator is a voter, so no epoch counts and
 * no duel begins unless the other voters have two thirds of the weight.
 */
import { describe, expect, it } from 'vitest'
import { epochOf, miner } from '../../packages/duel/test/subnet.ts'
import { after, contendersIn, playDuels, startedLate, withLies } from './deciding.ts'

const STAKES = { h1: 50_000n, h2: 25_000n, h3: 15_000n, liar: 43_000n } as const
const scene = { validators: Object.keys(STAKES), stakes: STAKES }
const waiting = startedLate({ ...scene, miners: [miner('m1')] })
const started = startedLate(scene)

describe.each([
  ['h1', false],
  ['h2', true],
  ['h3', true],
] as const)('without %s', (absent, starts) => {
  it(`starts ${starts ? 'a' : 'no'} duel`, () => {
    const { state, report } = after(waiting, { ...scene, silent: [absent] })
    expect([report.frozen, contendersIn(state)]).toEqual([!starts, starts ? ['m2'] : []])
  })

  it('crowns no contender exactly at the ratio to beat in a duel begun with all validators', () => {
    const { thrones } = playDuels(10, started, (state, draw) => {
      const rates = withLies(['liar'], draw(state, 0.62), draw(state, 0.51))
      return epochOf(state, { ...scene, rates, silent: [absent], unsealed: [absent] })
    })
    expect(thrones).toBe(0)
  })
})

it('freezes no epoch if only the liar is absent', () => {
  const { report } = after(started, { ...scene, silent: ['liar'], rates: [0.6, 0.4] })
  expect(report.frozen).toBe(false)
})
