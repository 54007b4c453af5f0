import type { Neuron, Snapshot } from '@affine/chain'
import { type Facts, firstState, type State } from '@affine/duel'
import { expect, it } from 'vitest'
import {
  crownedFirst,
  epochOf,
  HEAD,
  MAIN,
  miner,
  type Scene,
  startedDuels,
} from '../../duel/test/subnet.ts'
import { describeEpoch, formatEpoch, listValidators, summariseEpoch } from '../src/index.ts'
import { settledBy } from './history.ts'

const settledIn = (before: State, scene: Scene) => settledBy(before, epochOf(before, scene))
const [first, crowned, begun] = [firstState(MAIN, 0), crownedFirst(), startedDuels()]
const CLOSE: Scene = { rates: [0.3, 0.3] }
const ALONE: Scene = { miners: [miner('m1', 1)] }

const CASES: readonly (readonly [what: string, before: State, scene: Scene])[] = [
  ['the first miner', first, {}],
  ['no miner', first, { miners: [] }],
  ['a contender', crowned, {}],
  ['no other miner', crowned, ALONE],
  ['a ratio that falls by less than is shown', { ...crowned, ratio: 510_010 }, ALONE],
  ['a ratio that falls', { ...crowned, ratio: 700_000 }, ALONE],
  ['a duel that continues', begun, CLOSE],
  ['a win', begun, { rates: [0.75, 0.25] }],
  ['no win', begun, { rates: [0, 1] }],
  ['too few that attest', begun, { silent: ['v3', 'v4'] }],
  ['two evictions during a duel', begun, { ...CLOSE, miners: [], unregistered: ['m1', 'm2'] }],
]

it('formats each epoch, and summarises it on one line', async () => {
  const texts = CASES.map(([what, before, scene]) => {
    const facts = describeEpoch(settledIn(before, scene))
    const text = formatEpoch(facts, String)
    expect(text.split('\n')[0]).toBe(summariseEpoch(facts, String))
    return `## ${what}\n${text}\n`
  })
  await expect(texts.join('\n')).toMatchFileSnapshot('snapshots/epochs.txt')
})

it('describes a contender that waits, and then another that beats it to the throne', async () => {
  const miners = ['m1', 'm2', 'm3'].map((hotkey, i) => miner(hotkey, i + 1))
  const scene: Scene = {
    miners,
    rates: (_, _env, contender) => (contender === 'm2' ? [0.75, 0.25] : [0.9, 0.1]),
  }
  let state = startedDuels({ miners })
  const epochs = Array.from({ length: 8 }, () => {
    const settled = settledIn(state, scene)
    state = settled.state
    return describeEpoch(settled)
  })
  expect(epochs[0]?.duels.at(-1)).toMatchObject({ standing: 'won', end: undefined })
  // An environment that is not evaluated any more has no cause.
  expect(epochs[1]?.duels.at(-1)?.analyses[0]).toMatchObject({ given: undefined, cause: undefined })
  expect(epochs.at(-1)?.duels.map(({ end }) => end)).toEqual(['passed', 'crowned'])
  const text = epochs.map((facts) => formatEpoch(facts, String)).join('\n\n')
  await expect(`${text}\n`).toMatchFileSnapshot('snapshots/two-winners.txt')
})

/** Returns the facts of an epoch, and their text. */
function decideAndReport(before: State, facts: Facts) {
  const settled = settledBy(before, facts)
  const known = describeEpoch(settled)
  return { state: settled.state, known, text: `${formatEpoch(known, (hotkey) => hotkey)}\n` }
}

it('names the missing voters of a frozen epoch, and when they stop counting', async () => {
  const crowned = crownedFirst()
  const { state } = decideAndReport(crowned, epochOf(crowned, { stakes: { v3: 500n } }))
  const { known, text } = decideAndReport(state, epochOf(state, { silent: ['v3', 'v4'] }))
  expect(known.lacking?.missing).toEqual([
    { hotkey: 'v4', weightPpm: 285_714, droppedIn: 31 },
    { hotkey: 'v3', weightPpm: 142_857, droppedIn: 31 },
  ])
  await expect(text).toMatchFileSnapshot('snapshots/frozen.txt')
})

it('names the voters that attest another state', async () => {
  const before = crownedFirst()
  const facts = epochOf(before)
  const validators = facts.snapshot.validators.map((voter) =>
    voter.attest && voter.hotkey > 'v2'
      ? { ...voter, attest: { ...voter.attest, stateRoot: HEAD } }
      : voter,
  )
  const seen = { ...facts, snapshot: { ...facts.snapshot, validators } }
  const { known, text } = decideAndReport(before, seen)
  expect(known.others).toEqual({ hotkeys: ['v3', 'v4'], weightPpm: 500_000 })
  await expect(text).toMatchFileSnapshot('snapshots/another-state.txt')
})

it('lists the validators that set weights but attested nothing for twenty epochs', () => {
  const hotkeys = ['active', 'idle', 'idler', 'without weights', 'without permit', 'miner']
  const neurons = hotkeys.map((hotkey, uid): Neuron => {
    const facts = { stake: BigInt(uid) * 1_234_567_890n, permit: !/permit|miner/.test(hotkey) }
    return { uid, hotkey, ...facts, registered: 0, lastUpdate: 0 }
  })
  const snapshot: Snapshot = {
    ...{ head: { number: 9_000, hash: '' }, tempo: 360, revealPeriod: 0, neurons, commitments: [] },
    ...{ maxUids: 256, immunityPeriod: 0 },
  }
  const weighing = hotkeys.filter((hotkey) => !/weights|miner/.test(hotkey))
  const weights = Object.fromEntries(weighing.map((hotkey) => [hotkey, [[5, 65_535]] as const]))
  const attested = { active: { epoch: 24, stake: '1' } }
  const validators = listValidators({ trust: {}, attested }, snapshot, weights)
  const idleIn = (rows: typeof validators) =>
    rows.flatMap(({ isIdle, hotkey }) => (isIdle ? [hotkey] : []))
  expect(idleIn(validators)).toEqual(['idle', 'idler'])
  // Before a network's first decision no one is idle.
  expect(idleIn(listValidators({ trust: {} }, snapshot, weights))).toEqual([])
})
