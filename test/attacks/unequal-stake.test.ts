/*
 * Three honest validators with stakes of 50, 25 and 15, and a liar with 43, which is below a third of
 * all. One of the honest is absent when the liar's contender starts. The old rules then counted the
 * others alone: without the 50 the liar had 52 % of the duel, and had accepted what it liked.
 * Protocol §8.1: the absent one is a voter, so that a duel starts only if the others are two thirds.
 */
import { describe, expect, it } from 'vitest'
import { decide } from '../../packages/duel/src/index.ts'
import { epochOf, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { begin, drawn, playOut } from './deciding.ts'

const STAKES = { h1: 50n, h2: 25n, h3: 15n, liar: 43n } as const
const validators = Object.keys(STAKES)
const stakes = Object.fromEntries(Object.entries(STAKES).map(([k, v]) => [k, v * 1000n]))
const waiting = begin({ validators, stakes, miners: [miner('m1')] })

/** The epoch that follows `waiting`, and a duel that goes on with the same who are absent. */
const started = (silent: readonly string[]) =>
  decide(waiting, epochOf(waiting, { validators, stakes, silent })).state

describe.each([
  ['h1', false],
  ['h2', true],
  ['h3', true],
] as const)('without %s', (absent, starts) => {
  it(`${starts ? 'a' : 'no'} duel starts`, () => {
    expect(started([absent]).duel !== undefined).toBe(starts)
  })

  it('the liar crowns nobody at the ratio, in a duel that began with all', () => {
    const random = pcg64(77n)
    for (let i = 0; i < 10; i++) {
      const { state } = playOut(started([]), (state) => {
        const [told, seen] = [drawn(random, state, 0.62), drawn(random, state, 0.51)]
        const rates: Scene['rates'] = (voter) => (voter === 'liar' ? told() : seen())
        return epochOf(state, { validators, stakes, rates, silent: [absent], unsealed: [absent] })
      })
      expect(state.champion?.hotkey).toBe('m1')
    }
  })
})

it('the liar alone freezes nothing: the three are more than two thirds', () => {
  const begun = started([])
  const facts = epochOf(begun, { validators, stakes, silent: ['liar'], rates: [0.6, 0.4] })
  expect(decide(begun, facts).report.frozen).toBe(false)
})
