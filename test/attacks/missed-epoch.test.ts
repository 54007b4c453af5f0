/*
 * Miners play otherwise in an epoch that a validator misses, so that it looks like a liar ever after.
 * Protocol §8.5: lanes are compared over the epochs that both have.
 */
import { expect, test } from 'vitest'
import { type State, trustOf } from '../../packages/duel/src/index.ts'
import { type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { after, votersOf } from './deciding.ts'

const validators = votersOf(5)
const [honest = ''] = validators
const usual = [0.47, 0.395] as const
const started = startedDuels({ validators })
/** The epoch, from 1, that `honest` misses. */
const MISSED = 4

/** The fifth epoch of a duel in which miners played like this in the missed one. */
function playFour(otherwise: Scene['rates'] = usual): { state: State; aside: readonly string[] } {
  const aside = new Set<string>()
  let state = started
  for (let epoch = 1; epoch < 5; epoch++) {
    const missing = epoch === MISSED ? [honest] : []
    const rates = epoch === MISSED ? otherwise : usual
    const decided = after(state, { validators, unsealed: missing, broken: missing, rates })
    for (const { envs } of decided.report.duels)
      for (const { setAside } of Object.values(envs)) for (const voter of setAside) aside.add(voter)
    state = decided.state
  }
  return { state, aside: [...aside] }
}

test('an epoch of nothing but ties costs who missed it that epoch alone', () => {
  const { state, aside } = playFour([0, 0])
  expect(aside).toEqual([])
  expect(state.duels[0]?.start).toBe(started.epoch)
  expect(state.trust).toEqual(playFour().state.trust)
  expect(trustOf(state.trust[honest])).toBeGreaterThan(650_000)
})

test('who does not attest an epoch either is not due in the next, and loses nothing for it', () => {
  const scene = { validators, unsealed: [honest], broken: [honest], silent: [honest] }
  const next = after(started, { ...scene, rates: usual }).state
  expect(Object.keys(next.due)).toEqual(validators.slice(1))
  const { trust } = after(next, { ...scene, rates: usual }).state
  expect(trust[honest]).toEqual(next.trust[honest])
})
