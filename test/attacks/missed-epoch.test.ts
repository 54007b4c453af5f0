/*
 * Miners play differently in an epoch that a validator misses, so that its lane seems an outlier.
 * Protocol §8.5: two lanes are compared over the epochs that both of them have.
 */
import { expect, test } from 'vitest'
import { computeTrust, type State } from '../../packages/duel/src/index.ts'
import { type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { after, votersOf } from './deciding.ts'

const validators = votersOf(5)
const [honest = ''] = validators
const usual = [0.47, 0.395] as const
const started = startedDuels({ validators })
/** The epoch, from 1, that `honest` misses. */
const MISSED = 4

/**
 * Plays four epochs of a duel, with the rates `otherwise` in the missed epoch. Returns the last
 * state, and the voters whose lanes were set aside.
 */
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

test('costs a validator that misses an epoch of ties only the count of that epoch', () => {
  const { state, aside } = playFour([0, 0])
  expect(aside).toEqual([])
  expect(state.duels[0]?.start).toBe(started.epoch)
  expect(state.trust).toEqual(playFour().state.trust)
  expect(computeTrust(state.trust[honest])).toBeGreaterThan(650_000)
})

test('expects no lane from a validator that did not attest the previous epoch', () => {
  const scene = { validators, unsealed: [honest], broken: [honest], silent: [honest] }
  const next = after(started, { ...scene, rates: usual }).state
  expect(Object.keys(next.due)).toEqual(validators.slice(1))
  const { trust } = after(next, { ...scene, rates: usual }).state
  expect(trust[honest]).toEqual(next.trust[honest])
})
