import { type Generator, pcg64 } from '@affine/prng'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  computeQuotas,
  type DuelSnapshot,
  decide,
  encodeState,
  type Facts,
  firstState,
  type Lanes,
  type LaneTally,
  parseState,
  type State,
  stateRoot,
} from '../src/index.ts'
import {
  bitmapOf,
  epochOf,
  laneOf,
  MAIN,
  MULT8,
  miner,
  OTHER,
  startedDuels,
  TICTACTOE,
} from './subnet.ts'

const hex = (random: Generator) =>
  Array.from({ length: 8 }, () => random.uint32().toString(16).padStart(8, '0')).join('')

/**
 * Returns random facts of an epoch: hotkeys come and go, stakes and commitments change, lanes are
 * missing, unsealed, unattested or far from the others, and some validators attest another state.
 */
function chaos(state: State, root: string, random: Generator): Facts {
  const chance = (p: number) => random.random() < p
  const all = Array.from({ length: 12 }, (_, i) => `validator ${i}`)
  const validators = all.filter(() => chance(0.95))
  const revisionOf = (i: number) => String(Math.floor((state.epoch + 5 * i) / 40))
  const candidates = Array.from({ length: 9 }, (_, i) =>
    miner(`miner ${i}`, random.integers(0, 50), revisionOf(i)),
  )
  const miners = candidates.filter(() => chance(0.97))
  const attested = () => Object.keys(state.due).filter(() => chance(0.97))
  const snapshot: DuelSnapshot = {
    epoch: state.epoch + 1,
    protocol: Math.floor(state.epoch / 50) % 4 === 3 ? OTHER : MAIN,
    hotkeys: [...validators, ...miners.map(({ hotkey }) => hotkey)],
    validators: [...validators, ...(chance(0.1) ? ['miner 3'] : [])].map((hotkey) => ({
      hotkey,
      stake: random.uint64(),
      ...(chance(0.98) && {
        attest: {
          epoch: state.epoch,
          bitmap: bitmapOf(state, attested()),
          next: hex(random),
          stateRoot: chance(0.02) ? hex(random) : root,
        },
      }),
    })),
    miners,
  }
  const lane = () =>
    laneOf(state, (played, env, contender) => {
      const digit = Number(contender.at(-1))
      const p = chance(0.1) ? random.random() : 0.45 + digit / 30
      const decisive = Math.floor(played * (digit % 3 === 0 && env > 'n' ? 0 : 0.8))
      const wins = Array.from({ length: decisive }, () => random.random()).filter(
        (x) => x < p,
      ).length
      return [wins, decisive - wins, 1_000_000 * wins, 1_000_000 * (decisive - wins)]
    })
  const seals = validators
    .filter(() => chance(0.97))
    .map((hotkey) => [hotkey, hex(random)] as const)
  const lanes = validators.filter(() => chance(0.97)).map((hotkey) => [hotkey, lane()] as const)
  return { snapshot, seals: Object.fromEntries(seals), lanes: Object.fromEntries(lanes) }
}

/**
 * Returns the value with the keys of every record in another order, and for `'lists'` also the items
 * of every list. The lists of states and lanes have a fixed order.
 */
function shuffled<Value>(value: Value, random: Generator, lists: 'lists' | 'keys'): Value {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  if (Array.isArray(value)) {
    const copy = value.map((x) => shuffled(x, random, lists))
    return (lists === 'lists' ? permuted(copy, random) : copy) as Value
  }
  const entries = Object.entries(value).map(
    ([key, x]) => [key, shuffled(x, random, lists)] as const,
  )
  return Object.fromEntries(permuted(entries, random)) as Value
}

const permuted = <Item>(items: readonly Item[], random: Generator): readonly Item[] =>
  random.permutation(items.length).map((i) => items[i] as Item)

function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  for (const x of Object.values(value)) freeze(x)
  return Object.freeze(value)
}

test('sixty random epochs give the recorded root, for keys and lists in any order, and change no input; each state can be read back', () => {
  const random = pcg64(150n)
  const order = pcg64(1n)
  const seen = { crowned: 0, held: 0, frozen: 0, even: 0, apart: 0 }
  let state = firstState(MAIN, 0)
  let root = stateRoot(state)
  for (let epoch = 0; epoch < 60; epoch++) {
    const facts = chaos(state, root, random)
    const { state: next, report } = decide(freeze(state), freeze(facts))
    root = stateRoot(next)
    const { snapshot, ...rest } = facts
    const lists = { snapshot: shuffled(snapshot, order, 'lists') }
    const others = { ...lists, ...shuffled(rest, order, 'keys') }
    const other = decide(shuffled(state, order, 'keys'), others)
    expect(stateRoot(other.state)).toBe(root)
    expect(other.report).toEqual(report)
    const read = parseState(encodeState(next))
    if (!read.ok) throw new Error(read.detail)
    expect(stateRoot(read.value)).toBe(root)
    const reports = report.duels.flatMap(({ envs }) => Object.values(envs))
    if (report.crowned) seen.crowned++
    if (report.duels.some(({ standing }) => standing === 'lost')) seen.held++
    if (report.frozen) seen.frozen++
    if (reports.some(({ given }) => given === 'even')) seen.even++
    if (reports.some(({ setAside }) => setAside.length > 0)) seen.apart++
    state = next
  }
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0)
  expect(root).toBe('04080373a071d06264695d799355830e2c4af90fa16499df195bab9df18202df')
})

describe('decide', () => {
  const key = fc.oneof(
    fc.constantFrom('v1', 'v2', 'v3', 'v4', 'm1', 'm2'),
    fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty'),
    fc.string({ maxLength: 3 }),
  )
  const record = <T>(value: fc.Arbitrary<T>) =>
    fc
      .uniqueArray(fc.tuple(key, value), { selector: ([k]) => k, maxLength: 6 })
      .map((entries) => Object.fromEntries(entries))
  const number = fc.oneof(
    fc.constantFrom(0, 1, 16, 31, 32, 33, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53),
    fc.nat(64),
  )
  const tally = fc.oneof(
    fc.tuple(number, number).map(([wins, losses]) => [wins, losses, 0, 0]),
    fc.array(number, { maxLength: 5 }),
  )
  const lane = fc.record({ 'mult8@0.1.0': tally, 'tictactoe@0.1.0': tally }, { requiredKeys: [] })
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom('\ud800', 'models/m1', 'main'),
  )
  const hash = fc.constantFrom('0'.repeat(64), 'f'.repeat(64))
  const started = startedDuels()
  const root = stateRoot(started)
  const attest = fc.record({
    epoch: fc.constantFrom(12, 11, -1),
    bitmap: fc.uint8Array({ maxLength: 20 }),
    next: hash,
    stateRoot: fc.constantFrom(root, 'f'.repeat(64)),
  })
  const snapshot = fc.record({
    epoch: fc.constant(13),
    protocol: fc.constantFrom(MAIN, OTHER),
    hotkeys: fc.uniqueArray(key),
    validators: fc.uniqueArray(
      fc.record(
        { hotkey: key, stake: fc.bigInt({ min: -1n, max: 2n ** 64n }), attest },
        { requiredKeys: ['hotkey', 'stake'] },
      ),
      { selector: ({ hotkey }) => hotkey },
    ),
    miners: fc.uniqueArray(
      fc.record({
        hotkey: key,
        model: text,
        revision: text,
        chute: text,
        block: fc.nat(9),
        registered: fc.nat(9),
      }),
      { selector: ({ hotkey }) => hotkey },
    ),
  })

  it('never throws, and returns a readable state, for any data from strangers', () => {
    const anything = record(fc.oneof(fc.record({ m2: lane }), record(record(tally)), record(tally)))
    fc.assert(
      fc.property(snapshot, record(hash), anything, (snapshot, seals, lanes) => {
        const facts = { snapshot, seals, lanes: lanes as unknown as Lanes }
        const next = decide(started, facts).state
        expect(parseState(encodeState(next))).toMatchObject({ ok: true })
        expect(next.epoch).toBe(13)
      }),
      { numRuns: 200 },
    )
  })

  it('stores hotkeys with the names of inherited properties like any other', () => {
    const validators = ['__proto__', 'constructor', 'toString']
    const state = startedDuels({ validators })
    expect(Object.keys(state.voters).sort()).toEqual([...validators].sort())
    const next = decide(state, epochOf(state, { validators, rates: [1, 0] })).state
    expect(next.champion?.hotkey).toBe('m2')
    expect(Object.keys(next.trust).sort()).toEqual([...validators].sort())
    expect(Object.getPrototypeOf(next.trust)).toBe(Object.prototype)
  })
})

// In these tests the lane of one validator is void or has an impossible tally.

test('accepts no void lane, even if no challenges are due', () => {
  const started = startedDuels()
  const verdicts = { [MULT8]: 'win', [TICTACTOE]: 'win' } as const
  const tallies = Array.from({ length: 8 }, () => ({}))
  const duels = started.duels.map((duel) => ({ ...duel, start: 4, tallies, verdicts }))
  const over = { ...started, duels }
  const { lanes, ...facts } = epochOf(over)
  const { v2: _, ...others } = lanes
  const { report } = decide(over, { ...facts, lanes: others })
  const accepted = Object.values(report.lanes).map((lane) => lane.accepted)
  expect([computeQuotas(over), accepted]).toEqual([{ m2: {} }, [true, false, true, true]])
})

it.each<readonly [string, LaneTally]>([
  ['more decisive challenges than its quota', [17, 16, 0, 0]],
  ['a negative count', [-1, 16, 0, 0]],
  ['a fraction', [15.5, 16, 0, 0]],
  ['a fraction of a point', [16, 16, 0.5, 0]],
  ['more points than its quota allows', [16, 16, 0, 32_000_001]],
])('accepts no lane that has %s in an environment that is played', (_, tally) => {
  const miners = ['m1', 'm2', 'm3', 'm4'].map((hotkey, i) => miner(hotkey, i + 1))
  const three = startedDuels({ miners })
  const facts = epochOf(three, { miners })
  const laneWith = (changed: Record<string, LaneTally>) => {
    const { v2 = {} } = facts.lanes
    const lanes = { ...facts.lanes, v2: { ...v2, m3: { ...v2.m3, ...changed } } }
    return decide(three, { ...facts, lanes }).report.lanes.v2
  }
  expect(laneWith({ [MULT8]: tally })).toMatchObject({ attested: true, accepted: false })
  expect(laneWith({ other: tally })?.accepted).toBe(true)
})
