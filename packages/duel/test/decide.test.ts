import { describe, expect, it } from 'vitest'
import {
  computeQuotas,
  decide,
  type LaneTally,
  type Miner,
  type Report,
  type State,
} from '../src/index.ts'
import { ENVS, epochOf, HEAD, MULT8, miner, type Scene, startedDuels, TICTACTOE } from './subnet.ts'

const content = ({ hotkey, model, revision, chute }: Miner) => ({ hotkey, model, revision, chute })
const after = (state: State, scene?: Scene) => decide(state, epochOf(state, scene))
const VOTERS = ['v1', 'v2', 'v3', 'v4']
/** m1 is champion, and m2 is in its first epoch: epoch 12. */
const started = startedDuels()
/** m2, m3 and m4 have duels concurrently. */
const MINERS = ['m1', 'm2', 'm3', 'm4'].map((hotkey, i) => miner(hotkey, i + 1))
const three = startedDuels({ miners: MINERS })
const CLOSE: Scene = { rates: [0.5625, 0.4375] } // some 3 % decisive: even from the fifth epoch on
const WINNING: Scene = { rates: [1, 0] }

const duelsOf = ({ duels }: State) => duels.map(({ contender }) => contender.hotkey)
const standings = ({ duels }: Report) => duels.map(({ standing }) => standing)
const lookAt = ({ duels: [duel] }: Report, env: string) => duel?.envs[env]

describe('acceptance', () => {
  const reportOf = (scene: Scene) => after(started, { ...CLOSE, ...scene }).report

  it('counts lanes that are sealed, valid and attested', () => {
    const report = reportOf({})
    const lane = { sealed: true, attesters: VOTERS, attested: true, accepted: true }
    expect([report.frozen, report.lanes]).toEqual([
      false,
      { v1: lane, v2: lane, v3: lane, v4: lane },
    ])
    // 18 and 32 times 4·10^6 − ⌈4·10^6 / 3⌉.
    const win = { wins: 47_999_988n, trials: 85_333_312n, unit: 1_000_000n }
    expect(lookAt(report, MULT8)?.win).toEqual(win)
  })

  it('counts no void lane, even without challenges', () => {
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
    ['more decisive challenges than there are', [17, 16, 0, 0]],
    ['a negative count', [-1, 16, 0, 0]],
    ['a fraction', [15.5, 16, 0, 0]],
    ['a fraction of a point', [16, 16, 0.5, 0]],
    ['more points than there are', [16, 16, 0, 32_000_001]],
  ])('counts no lane that has %s', (_, tally) => {
    const facts = epochOf(three, { ...CLOSE, miners: MINERS })
    const laneWith = (changed: Record<string, LaneTally>) => {
      const { v2 = {} } = facts.lanes
      const lanes = { ...facts.lanes, v2: { ...v2, m3: { ...v2.m3, ...changed } } }
      return decide(three, { ...facts, lanes }).report.lanes.v2
    }
    expect(laneWith({ [MULT8]: tally })).toMatchObject({ attested: true, accepted: false })
    expect(laneWith({ other: tally })?.accepted).toBe(true)
  })

  it('counts no lane without an environment of one of its duels', () => {
    const facts = epochOf(three, { ...CLOSE, miners: MINERS })
    const { v2 = {} } = facts.lanes
    const { [MULT8]: _, ...rest } = v2.m3 ?? {}
    for (const lane of [{ ...v2, m3: rest }, { m2: v2.m2 ?? {} }, {}]) {
      const lanes = { ...facts.lanes, v2: lane }
      expect(decide(three, { ...facts, lanes }).report.lanes.v2?.accepted).toBe(false)
    }
  })

  it('ignores attestations of another epoch or state', () => {
    const { snapshot, seals, lanes } = epochOf(started, CLOSE)
    for (const change of [{ epoch: 11 }, { epoch: 13 }, { stateRoot: HEAD }]) {
      const validators = snapshot.validators.map((v) =>
        v.attest && v.hotkey > 'v2' ? { ...v, attest: { ...v.attest, ...change } } : v,
      )
      const seen = { ...snapshot, validators }
      const { state, report } = decide(started, { snapshot: seen, seals, lanes })
      expect([report.frozen, report.lanes.v1?.attesters]).toEqual([true, ['v1', 'v2']])
      expect(Object.keys(state.due)).toEqual(['v1', 'v2'])
    }
  })
})

describe('a verdict', () => {
  it('for the champion ends the duel once the contender cannot win it', () => {
    const split: Scene = { rates: (_, env) => (env === MULT8 ? [0, 1] : [0.5625, 0.4375]) }
    const { state, report } = after(started, split)
    expect([standings(report), lookAt(report, MULT8)?.given]).toEqual([['lost'], 'hold'])
    expect(lookAt(report, TICTACTOE)?.given).toBeUndefined()
    expect([state.champion, state.duels, state.due]).toEqual([content(miner('m1')), [], {}])
  })
})

describe('an outlier', () => {
  const validators = [...VOTERS, 'v5']
  const five = startedDuels({ validators })
  const liar: Scene = {
    validators,
    rates: (validator) => (validator === 'v5' ? [0, 1] : [0.5625, 0.4375]),
  }

  it('is set aside by its tallies over the duel, and changes no trust', () => {
    const second = after(after(five, { ...CLOSE, validators }).state, liar)
    expect(lookAt(second.report, MULT8)?.setAside).toEqual([]) // 18 of 96, not yet far enough
    const third = after(second.state, liar)
    expect(third.report.lanes.v5?.accepted).toBe(true)
    expect(ENVS.map((env) => lookAt(third.report, env)?.setAside)).toEqual([['v5'], ['v5']])
    const faded = Math.floor(((second.state.trust.v5?.correct ?? 0) * 15) / 16)
    expect(third.state.trust.v5).toEqual({ correct: faded, incorrect: 0 })
  })
})

describe('the list of duels', () => {
  it('plays and judges each duel by its own quotas', () => {
    const one = after(started, { ...CLOSE, miners: MINERS }).state
    const { state, report } = after(one, {
      miners: MINERS,
      rates: (_, _env, contender) => (contender === 'm3' ? [0, 1] : [0.5625, 0.4375]),
    })
    expect([standings(report), duelsOf(state)]).toEqual([
      ['open', 'lost', 'open'],
      ['m2', 'm4'],
    ])
    expect(report.duels.map(({ epochIndex }) => epochIndex)).toEqual([2, 1, 1])
    expect(lookAt(report, MULT8)?.tallies.v1?.played).toBe(96)
    expect(report.duels[2]?.envs[MULT8]?.tallies.v1?.played).toBe(32)
  })

  it('stores the commitment of the turn: neither a new one nor eviction ends a duel', () => {
    const scene: Scene = {
      ...CLOSE,
      miners: [miner('m1', 9, 'new'), { ...miner('m2', 9), chute: 'other' }],
      unregistered: ['m1', 'm2'],
    }
    const { state, report } = after(started, scene)
    expect([standings(report), state.champion, state.duels[0]?.contender]).toEqual([
      ['open'],
      content(miner('m1')),
      content(miner('m2')),
    ])
    expect(Object.keys(state.lastPlayed)).toEqual(['m1', 'm2'])
    expect(after(state, { ...WINNING, miners: [] }).state.champion).toEqual(content(miner('m2')))
  })
})

describe('crowning', () => {
  /** Returns a scene with these rates of m2, m3 and m4; each is silent in its first epoch. */
  const playing = (rates: Readonly<Record<string, readonly [number, number]>>): Scene => ({
    miners: MINERS,
    rates: (_, _env, contender) => rates[contender] ?? [0.5625, 0.4375],
  })

  it('waits until no duel is open; the won one continues, unjudged, in environments of one player', () => {
    const { state, report } = after(three, playing({ m2: [1, 0] }))
    expect([standings(report), report.crowned]).toEqual([['won', 'open', 'open'], undefined])
    expect(duelsOf(state)).toEqual(['m2', 'm3', 'm4'])
    const next = after(state, playing({ m2: [0, 1], m3: [0, 1], m4: [0.5625, 0.4375] }))
    expect([standings(next.report), next.state.champion?.hotkey]).toEqual([
      ['won', 'lost', 'open'],
      'm1',
    ])
    expect(next.state.duels[0]?.tallies.map(Object.keys)).toEqual([ENVS, ENVS])
    expect(next.report.duels[0]?.envs[MULT8]).toMatchObject({ given: undefined })
    const end = after(next.state, playing({ m4: [0, 1] }))
    expect([end.report.crowned, end.state.champion?.hotkey, end.state.duels]).toEqual([
      'm2',
      'm2',
      [],
    ])
  })
})
