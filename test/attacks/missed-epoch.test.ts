/*
 * Miners play otherwise in an epoch that a validator misses, so that it looks like a liar ever after.
 * Protocol §8.5: lanes are compared over the epochs that both have.
 */
import { expect, test } from 'vitest'
import { decide, type State, trustOf } from '../../packages/duel/src/index.ts'
import { epochOf, type Scene } from '../../packages/duel/test/subnet.ts'
import { begin, votersOf } from './deciding.ts'

const validators = votersOf(5)
const [honest = ''] = validators
const usual = [0.45, 0.41] as const
/** The epoch, from 1, that `honest` misses. */
const MISSED = 4

/** The sixth epoch of a duel in which miners played like this in the missed one. */
function playFive(otherwise: Scene['rates'] = usual): { state: State; aside: readonly string[] } {
  const aside = new Set<string>()
  let state = begin({ validators })
  for (let epoch = 1; epoch < 6; epoch++) {
    const missing = epoch === MISSED ? [honest] : []
    const rates = epoch === MISSED ? otherwise : usual
    const scene = { validators, unsealed: missing, broken: missing }
    const settled = decide(state, epochOf(state, { ...scene, rates }))
    for (const [voter, { setAside }] of Object.entries(settled.report.lanes))
      if (setAside.length > 0) aside.add(voter)
    state = settled.state
  }
  return { state, aside: [...aside] }
}

test('an epoch of nothing but ties costs who missed it that epoch alone', () => {
  const { state, aside } = playFive([0, 0])
  expect(aside).toEqual([])
  expect(state.duel?.id).toBe(begin({ validators }).duel?.id)
  expect(state.trust).toEqual(playFive().state.trust)
  expect(trustOf(state.trust[honest])).toBeGreaterThan(700_000)
})

test('who does not attest an epoch either is not due in the next, and loses nothing for it', () => {
  const started = begin({ validators })
  const scene = { validators, unsealed: [honest], broken: [honest], silent: [honest] }
  const next = decide(started, epochOf(started, { ...scene, rates: usual })).state
  expect(Object.keys(next.due)).toEqual(validators.slice(1))
  const { trust } = decide(next, epochOf(next, { ...scene, rates: usual })).state
  expect(trust[honest]).toEqual(next.trust[honest])
})
