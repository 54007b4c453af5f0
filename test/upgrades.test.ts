/*
 * A release has other constants, and half of the validators run it: §9.2. A duel that runs keeps the
 * constants with which it began, so nobody forks while it goes on. Between duels the two come to
 * different states; each agrees with its own, starts no duel by itself, and says why.
 */
import { expect, test } from 'vitest'
import {
  firstState,
  type Protocol,
  type State,
  settle,
  stateRoot,
} from '../packages/duel/src/index.ts'
import { epochOf, MAIN, miner, type Scene, withQuota } from '../packages/duel/test/subnet.ts'
import { epochFacts, epochText } from '../packages/report/src/index.ts'

const OLD = MAIN
const NEW: Protocol = withQuota(MAIN, 64, 512)
const validators = ['v1', 'v2', 'v3', 'v4']
/** Whose release has the new constants; the others follow later. */
const ahead = ['v1', 'v2']
const OPEN: Scene = { rates: [0.03, 0.03] }
const LOST: Scene = { rates: [0, 1] }
const WAITING: Scene = { miners: [miner('m1'), miner('m3', 3)] }

/** One epoch as a validator of one release decides it, among attestations of these states. */
function decideAs(
  protocol: Protocol,
  state: State,
  roots: (voter: string) => string,
  scene: Scene,
) {
  const { snapshot, ...facts } = epochOf(state, scene)
  const voters = snapshot.validators.map(({ attest, ...voter }) => ({
    ...voter,
    ...(attest && { attest: { ...attest, stateRoot: roots(voter.hotkey) } }),
  }))
  const seen = { ...snapshot, protocol, validators: voters }
  const settled = settle(state, { ...facts, snapshot: seen })
  const text = epochText(
    epochFacts({ before: state, snapshot: seen, lanes: new Map(), ...settled }),
  )
  return { state: settled.state, text }
}

/** The same epoch in both releases. */
function decideBoth([a, b]: readonly [State, State], isDone: boolean, scene: Scene) {
  const rootOf = (voter: string) => stateRoot(isDone || ahead.includes(voter) ? a : b)
  return [decideAs(NEW, a, rootOf, scene), decideAs(isDone ? NEW : OLD, b, rootOf, scene)] as const
}

test('half on the old release: no fork while a duel runs, a plain message after it', () => {
  const began = decideAs(OLD, firstState(OLD, 0), () => stateRoot(firstState(OLD, 0)), {}).state
  let states: readonly [State, State] = [began, began]
  for (let epoch = 0; epoch < 3; epoch++) {
    const [a, b] = decideBoth(states, false, OPEN)
    expect(stateRoot(a.state)).toBe(stateRoot(b.state))
    expect([a.state.protocol, a.state.duel?.id]).toEqual([OLD, began.duel?.id])
    expect(a.text).not.toContain('another state')
    states = [a.state, b.state]
  }
  // The duel ends: here the releases part.
  const [a, b] = decideBoth(states, false, LOST)
  expect([a.state.protocol, b.state.protocol]).toEqual([NEW, OLD])
  const apart = decideBoth([a.state, b.state], false, WAITING)
  for (const { state, text } of apart) {
    expect(state.duel).toBeUndefined()
    expect(state.champion?.hotkey).toBe('m1')
    expect(text).toContain('another state of epoch 5 is attested by')
    expect(text).toContain('compare the releases')
  }

  // The others follow, and begin with the state of those ahead.
  const { state } = apart[0]
  const [one, other] = decideBoth([state, state], true, WAITING)
  expect(stateRoot(one.state)).toBe(stateRoot(other.state))
  expect(one.state.duel?.contender.hotkey).toBe('m3')
  expect(Object.keys(one.state.duel?.weights ?? {})).toEqual(validators)
  expect(one.text).not.toContain('another state')
})
