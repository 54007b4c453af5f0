/*
 * A release has other constants, and half of the validators run it: §9.2. The two come to different
 * states at once, as all duels begin anew with the new constants; each validator agrees with its own
 * half, crowns nobody by itself, and says why.
 */
import { expect, test } from 'vitest'
import { decide, type Protocol, type State, stateRoot } from '../packages/duel/src/index.ts'
import { epochOf, MAIN, type Scene, startedDuels, withQuota } from '../packages/duel/test/subnet.ts'
import {
  epochFacts,
  epochText,
  shortHotkey,
  statusRecord,
  statusTexts,
  subnetStatus,
} from '../packages/report/src/index.ts'
import type { Network } from '../packages/settlement/src/index.ts'
import { FIRST_DUEL, flawsOf, hotkeys, network, ReadingSubnet } from './attacks/reading-subnet.ts'

const OLD = MAIN
const NEW: Protocol = withQuota(MAIN, 64, 512)
const validators = ['v1', 'v2', 'v3', 'v4']
/** Whose release has the new constants; the others follow later. */
const ahead = ['v1', 'v2']
const OPEN: Scene = { rates: [0.03, 0.03] }
const BETTER: Scene = { rates: [0.9, 0.05] }

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

test('half on the old release: duels begin anew in one half, and a plain message in both', () => {
  const began = startedDuels({})
  const rootsOf = ({ duels }: State) => duels.map(({ start, tallies }) => [start, tallies.length])
  const [a, b] = decideBoth([began, began], false, OPEN)
  expect([a.state.protocol, b.state.protocol]).toEqual([NEW, OLD])
  expect(rootsOf(a.state)).toEqual([[began.epoch + 1, 0]])
  expect(rootsOf(b.state)).toEqual([[began.epoch, 1]])
  for (const { text } of [a, b]) expect(text).not.toContain('another state')

  const apart = decideBoth([a.state, b.state], false, BETTER)
  for (const { state, text } of apart) {
    // Frozen: what lanes saw counts for neither.
    expect(state.duels).toMatchObject([{ contender: { hotkey: 'm2' }, frozen: 1, verdicts: {} }])
    expect(state.champion?.hotkey).toBe('m1')
    expect(text).toContain(`another state of epoch ${began.epoch + 1} is attested by`)
    expect(text).toContain('compare theirs with yours')
  }

  // The others follow, and begin with the state of those ahead.
  const { state } = apart[0]
  const [one, other] = decideBoth([state, state], true, BETTER)
  expect(stateRoot(one.state)).toBe(stateRoot(other.state))
  expect(one.state.champion?.hotkey).toBe('m2')
  expect(Object.keys(one.state.voters)).toEqual(validators)
  expect(one.text).not.toContain('another state')
})

const { protocol: EARLIER } = network
const LATER: Protocol = withQuota(EARLIER, 4, 4)
const rulesOf = (protocol: Protocol): Network => ({ ...network, protocol })

test('validators of two releases: readers of each say who attests what, and what to do', async () => {
  const subnet = new ReadingSubnet([100, 100, 100, 100])
  const [first, second, third, fourth] = subnet.voters
  if (!first || !second || !third || !fourth) throw new Error('four voters')
  const state = await subnet.begin()
  const { epoch } = state
  const states = [state, { ...state, protocol: LATER }] as const
  for (const voter of [first, second]) await subnet.attest(voter, states[0], [])
  for (const voter of [third, fourth]) await subnet.attest(voter, states[1], [])
  await subnet.end(state)
  const parties = [
    [EARLIER, third, fourth],
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
        epoch,
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
      `! another state of epoch ${epoch} is attested by ${names.map(shortHotkey).join(', ')} (50 % of the weight). ` +
        'Releases with other constants come to that: compare theirs with yours',
    )
  }
})

// Before, a history was recomputed with the constants of today from its first epoch on.
test('a history across a change is recomputed with the constants of each epoch', async () => {
  // Set in the middle of a duel, which begins anew.
  const earlier = [{ until: FIRST_DUEL + 1, protocol: EARLIER }]
  const rules: Network = { ...rulesOf(LATER), earlier }
  const subnet = new ReadingSubnet([100, 100, 100], 0, rules)
  let state = await subnet.begin()
  for (let left = 3; left > 0; left--) ({ state } = await subnet.play(state, {}))
  const epochs = await subnet.recompute()
  expect(flawsOf(epochs)).toEqual([])
  const duels = epochs.flatMap(({ before }) =>
    before.duels.map(({ start }) => [before.epoch, start, before.protocol]),
  )
  expect(duels).toEqual([
    [FIRST_DUEL, FIRST_DUEL, EARLIER],
    [FIRST_DUEL + 1, FIRST_DUEL + 1, LATER],
    [FIRST_DUEL + 2, FIRST_DUEL + 1, LATER],
  ])
  const seen: number[] = []
  await subnet.recompute({ onSample: ({ index }) => seen.push(index), to: FIRST_DUEL })
  expect(Math.max(...seen)).toBe(1)
  const wrong = hotkeys(subnet.voters).map((hotkey) => `WRONG_ROOT_ATTESTED ${hotkey}`)
  const flaws = flawsOf(await subnet.recompute({ network: rulesOf(LATER) }))
  expect(flaws).toEqual(expect.arrayContaining(wrong))
})
