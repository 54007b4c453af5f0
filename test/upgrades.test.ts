/*
 * A release has other constants, and half of the validators run it: §9.2. A duel that runs keeps the
 * constants with which it began, so nobody forks while it goes on. Between duels the two come to
 * different states; each agrees with its own, starts no duel by itself, and says why.
 */
import { expect, test } from 'vitest'
import {
  decide,
  firstState,
  type Protocol,
  type State,
  stateRoot,
} from '../packages/duel/src/index.ts'
import { epochOf, MAIN, miner, type Scene, withQuota } from '../packages/duel/test/subnet.ts'
import {
  epochFacts,
  epochText,
  shortHotkey,
  statusRecord,
  statusTexts,
  subnetStatus,
} from '../packages/report/src/index.ts'
import type { Network } from '../packages/settlement/src/index.ts'
import { flawsOf, hotkeys, network, ReadingSubnet } from './attacks/reading-subnet.ts'

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
  const settled = decide(state, { ...facts, snapshot: seen })
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
    expect(text).toContain('compare theirs with yours')
  }

  // The others follow, and begin with the state of those ahead.
  const { state } = apart[0]
  const [one, other] = decideBoth([state, state], true, WAITING)
  expect(stateRoot(one.state)).toBe(stateRoot(other.state))
  expect(one.state.duel?.contender.hotkey).toBe('m3')
  expect(Object.keys(one.state.duel?.weights ?? {})).toEqual(validators)
  expect(one.text).not.toContain('another state')
})

const SHORT: Protocol = { ...network.protocol, duelEpochs: 2 }
const LATER: Protocol = withQuota(SHORT, 4, 4)
const rulesOf = (protocol: Protocol): Network => ({ ...network, protocol })

test('validators of two releases: readers of each say who attests what, and what to do', async () => {
  const subnet = new ReadingSubnet([100, 100, 100, 100], 0, rulesOf(SHORT))
  const [first, second, third, fourth] = subnet.voters
  if (!first || !second || !third || !fourth) throw new Error('four voters')
  let state = await subnet.begin()
  for (let left = 2; left > 0; left--) ({ state } = await subnet.play(state, {}))
  expect(state.duel).toBeUndefined()
  const states = [state, { ...state, protocol: LATER }] as const
  for (const voter of [first, second]) await subnet.attest(voter, states[0], [])
  for (const voter of [third, fourth]) await subnet.attest(voter, states[1], [])
  await subnet.end(state)
  const parties = [
    [SHORT, third, fourth],
    [LATER, first, second],
  ] as const
  for (const [i, [protocol, ...others]] of parties.entries()) {
    const from = states[i]
    if (from === undefined) throw new Error('two states')
    const rules = rulesOf(protocol)
    const [last] = await subnet.recompute({ network: rules, from })
    if (last === undefined) throw new Error('the epoch has not ended')
    expect(last.flaws).toEqual(
      hotkeys(others).map((validator) => ({
        epoch: 3,
        validator,
        code: 'WRONG_ROOT_ATTESTED',
        detail: expect.stringContaining('compare the releases that you and they run'),
      })),
    )
    const status = await subnetStatus({ chain: subnet.chain, network: rules }, last.state, last)
    const names = [...hotkeys(others)].sort()
    expect(statusRecord(status)).toMatchObject({
      last: { others: { hotkeys: names, weightPpm: 500_000 } },
    })
    expect(statusTexts(status).join('\n')).toContain(
      `! another state of epoch 3 is attested by ${names.map(shortHotkey).join(', ')} (50 % of the weight). ` +
        'Releases with other constants come to that: compare theirs with yours',
    )
  }
})

// Before, a history was recomputed with the constants of today from its first epoch on.
test('a history across a change is recomputed with the constants of each epoch', async () => {
  // Set in the middle of a duel, which keeps the constants with which it began.
  const earlier = [{ until: 2, protocol: SHORT }]
  const rules: Network = { ...rulesOf(LATER), earlier }
  const subnet = new ReadingSubnet([100, 100, 100], 0, rules)
  let state = await subnet.begin()
  for (let left = 2; left > 0; left--) ({ state } = await subnet.play(state, {}))
  for (const voter of subnet.voters) await subnet.attest(voter, state, [])
  await subnet.end(state)
  const epochs = await subnet.recompute()
  expect(flawsOf(epochs)).toEqual([])
  expect(epochs.map(({ before }) => before.protocol)).toEqual([SHORT, SHORT, SHORT, LATER])
  const seen: number[] = []
  await subnet.recompute({ onSample: ({ index }) => seen.push(index) })
  expect(Math.max(...seen)).toBe(1)
  expect(new Set(flawsOf(await subnet.recompute({ network: rulesOf(LATER) })))).toEqual(
    new Set(hotkeys(subnet.voters).map((hotkey) => `WRONG_ROOT_ATTESTED ${hotkey}`)),
  )
})
