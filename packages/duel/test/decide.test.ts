import { describe, expect, it } from 'vitest'
import {
  attestedLanes,
  type CountedAttestations,
  computeQuotas,
  countedAttestations,
  type DuelSnapshot,
  decide,
  digestContent,
  firstState,
  type LaneTally,
  type Miner,
  type Protocol,
  type Report,
  type State,
} from '../src/index.ts'
import {
  crownedFirst,
  ENVS,
  epochOf,
  frozenIn,
  HEAD,
  MAIN,
  MULT8,
  miner,
  NEXT,
  type Scene,
  startedDuels,
  TICTACTOE,
  withQuota,
} from './subnet.ts'

const content = ({ hotkey, model, revision, chute }: Miner) => ({ hotkey, model, revision, chute })
const after = (state: State, scene?: Scene) => decide(state, epochOf(state, scene))
const first = firstState(MAIN, 10)
const VOTERS = ['v1', 'v2', 'v3', 'v4']
const EQUAL = { v1: 1_000_000, v2: 1_000_000, v3: 1_000_000, v4: 1_000_000 }
/** m1 is champion, and m2 is in its first epoch: epoch 12. */
const started = startedDuels()
/** m2, m3 and m4 have duels concurrently. */
const MINERS = ['m1', 'm2', 'm3', 'm4'].map((hotkey, i) => miner(hotkey, i + 1))
const three = startedDuels({ miners: MINERS })
const CLOSE: Scene = { rates: [0.5625, 0.4375] } // 18 of 32: neither wins nor holds in the first epochs
const TIED: Scene = { rates: [0.0375, 0.03] } // 7 % decisive: not even, and too few to tell
const FEW: Scene = { rates: [1 / 64, 1 / 64] } // some 3 % decisive: even from the fifth epoch on
const WINNING: Scene = { rates: [1, 0] }
const LOSING: Scene = { rates: [0, 1] }
const FROZEN: Scene = { ...WINNING, silent: ['v3', 'v4'] }

/** Returns the report and the state after `epochs` epochs of one scene. */
function run(epochs: number, scene: Scene, from: State = started) {
  let settled = { state: from, report: after(from, scene).report }
  for (let i = 0; i < epochs; i++) settled = after(settled.state, scene)
  return settled
}

const duelsOf = ({ duels }: State) => duels.map(({ contender }) => contender.hotkey)
const standings = ({ duels }: Report) => duels.map(({ standing }) => standing)
const verdictsOf = ({ duels: [duel] }: State) => duel?.verdicts
const lookAt = ({ duels: [duel] }: Report, env: string) => duel?.envs[env]
const heardIn = (state: State, snapshot: DuelSnapshot): CountedAttestations =>
  countedAttestations(state, snapshot)

describe('a network without a champion', () => {
  it('starts without voters, and no one is due', () => {
    expect(first).toEqual({
      protocol: MAIN,
      epoch: 10,
      ratio: 510_000,
      record: {},
      lastPlayed: {},
      voters: {},
      trust: {},
      heads: {},
      due: {},
      duels: [],
    })
    const { snapshot } = epochOf(first)
    expect(attestedLanes(first, heardIn(first, snapshot))).toEqual([])
  })

  it('crowns the first of the queue without a duel; the first duels begin with the first voters', () => {
    const { state, report } = after(first)
    expect([report.frozen, state.champion, duelsOf(state)]).toEqual([
      true,
      content(miner('m1')),
      [],
    ])
    expect(state.voters).toEqual(EQUAL)
    expect(state.lastPlayed).toEqual({ m1: { content: digestContent(miner('m1')) } })
    expect([started.epoch, started.voters]).toEqual([12, EQUAL])
    expect(started.duels).toEqual([
      { contender: content(miner('m2')), start: 12, tallies: [], verdicts: {} },
    ])
    expect(started.due).toEqual({ v1: NEXT, v2: NEXT, v3: NEXT, v4: NEXT })
  })
})

describe('voters', () => {
  it('are computed in each epoch, from the smaller of the stake now and at the last attestation', () => {
    const { state } = after(started, { ...CLOSE, stakes: { v1: 9000n, v2: 500n, v3: 0n } })
    expect(state.voters).toEqual({ v1: 1_000_000, v2: 500_000, v4: 1_000_000 })
    // The attestations are from after the stakes rose.
    const { voters } = after(state, { ...CLOSE, stakes: { v1: 9000n, v2: 500n, v3: 0n } }).state
    expect(voters).toEqual({ v1: 1_000_000, v2: 55_555, v4: 111_111 })
  })

  it('include a validator that first attests in T from T + 2 on', () => {
    const validators = [...VOTERS, 'v5']
    const { state: one, report } = after(started, { ...CLOSE, validators })
    expect([Object.keys(one.voters), Object.keys(one.attested ?? {})]).toEqual([VOTERS, validators])
    expect(report.lanes.v1?.attesters).toEqual(VOTERS)
    const two = after(one, { ...CLOSE, validators }).state
    expect([Object.keys(two.voters), Object.keys(two.due)]).toEqual([validators, validators])
  })

  it('exclude a validator that has not attested for twenty epochs, or is not registered', () => {
    let state = crownedFirst({ miners: [] })
    const gone: Scene = { miners: [], silent: ['v4'] }
    for (let epoch = 0; epoch < 19; epoch++) state = after(state, gone).state
    expect(state.attested?.v4).toEqual({ epoch: 10, stake: '1000' })
    state = after(state, gone).state
    expect([Object.keys(state.attested ?? {}), Object.keys(state.voters)]).toEqual([
      ['v1', 'v2', 'v3'],
      ['v1', 'v2', 'v3'],
    ])
    const two = after(state, { ...gone, validators: ['v1', 'v2'] }).state
    expect([Object.keys(two.attested ?? {}), Object.keys(two.voters)]).toEqual([
      ['v1', 'v2'],
      ['v1', 'v2'],
    ])
  })

  it('exclude, in the first epoch, a slot with a miner’s commitment', () => {
    const { snapshot, ...rest } = epochOf(first)
    const staked = { hotkey: 'm2', stake: 10n ** 9n }
    const seen = { ...snapshot, validators: [...snapshot.validators, staked] }
    const { attested, voters } = decide(first, { ...rest, snapshot: seen }).state
    expect([Object.keys(attested ?? {}), Object.keys(voters)]).toEqual([VOTERS, VOTERS])
  })
})

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

describe('a frozen epoch', () => {
  it('adds no tally, verdict or trust; everything else continues', () => {
    const { state, report } = after({ ...started, ratio: 600_000 }, FROZEN)
    expect([report.frozen, standings(report)]).toEqual([true, ['open']])
    expect(state.duels).toEqual([{ ...started.duels[0], tallies: [{}] }])
    expect([state.trust, state.ratio]).toEqual([{}, 595_652])
    expect(state.heads).toEqual({ v1: HEAD, v2: HEAD, v3: HEAD, v4: HEAD })
    expect(Object.keys(state.due)).toEqual(['v1', 'v2'])
    const { snapshot } = epochOf(started, FROZEN)
    expect(attestedLanes(started, heardIn(started, snapshot))).toEqual([])
  })

  it('calls no environment undecided, and begins no duel', () => {
    const four = run(4, FEW).state
    const { state } = after(four, { ...FEW, silent: ['v3', 'v4'], miners: MINERS })
    expect([verdictsOf(state), duelsOf(state)]).toEqual([{}, ['m2']])
  })

  it('counts among the epochs of the duel', () => {
    const five = run(5, TIED, run(2, FROZEN).state).state
    const [duel] = five.duels
    expect([duel?.start, frozenIn(duel), duel?.tallies.length]).toEqual([12, 2, 7])
    expect(standings(run(6, TIED, run(2, FROZEN).state).report)).toEqual(['lost'])
  })

  it.each([0, 4])('ends the duel if it is the fourth, after %i others', (others) => {
    const before = run(3, FROZEN, run(others, TIED).state)
    expect([standings(before.report), frozenIn(before.state.duels[0])]).toEqual([['open'], 3])
    const { state, report } = after(before.state, FROZEN)
    expect([standings(report), state.champion?.hotkey, state.duels]).toEqual([['lost'], 'm1', []])
    const left = 360 * (16 + others) - 1
    expect(state.lastPlayed.m2).toEqual({ content: digestContent(miner('m2')), left })
    expect(duelsOf(after(state).state)).toEqual([]) // it has to commit anew
  })
})

describe('a verdict', () => {
  it('for the contender crowns it if no other duel is open, and raises the ratio to beat', () => {
    const { state, report } = after(started, WINNING)
    expect([standings(report), report.crowned]).toEqual([['won'], 'm2'])
    expect([lookAt(report, MULT8)?.given, lookAt(report, TICTACTOE)?.given]).toEqual(['win', 'win'])
    expect([state.champion, state.ratio]).toEqual([content(miner('m2')), 800_000])
    expect(after(started, { rates: [0.8125, 0.1875] }).state.ratio).toBe(733_795)
    expect(state.lastPlayed).toEqual({
      m1: { content: digestContent(miner('m1')), left: 360 * 13 - 1 },
      m2: { content: digestContent(miner('m2')) },
    })
  })

  it('for the champion ends the duel once the contender cannot win it', () => {
    const split: Scene = { rates: (_, env) => (env === MULT8 ? [0, 1] : [0.5625, 0.4375]) }
    const { state, report } = after(started, split)
    expect([standings(report), lookAt(report, MULT8)?.given]).toEqual([['lost'], 'hold'])
    expect(lookAt(report, TICTACTOE)?.given).toBeUndefined()
    expect([state.champion, state.duels, state.due]).toEqual([content(miner('m1')), [], {}])
  })

  it('is final, and its environment is not sampled further', () => {
    const split: Scene = { rates: (_, env) => (env === MULT8 ? [1, 0] : [0.5625, 0.4375]) }
    const { state } = after(started, split)
    expect(verdictsOf(state)).toEqual({ [MULT8]: 'win' })
    const next = after(state, { ...split, ...LOSING })
    expect(Object.keys(next.report.duels[0]?.envs ?? {})).toEqual([TICTACTOE])
    expect(next.state.duels).toEqual([]) // lost in the other
    const still = after(state, CLOSE).state
    expect(still.duels[0]?.tallies.map(Object.keys)).toEqual([ENVS, [TICTACTOE]])
    expect(still.trust.v1).toEqual({ correct: 2_875_000, incorrect: 0 }) // 2·15/16 + 1
  })

  it('uses the ratio of the epoch, not of the duel’s start', () => {
    const barely: Scene = { rates: [0.75, 0.25] } // 24 of 32
    expect(standings(after(started, barely).report)).toEqual(['won'])
    expect(standings(after({ ...started, ratio: 700_000 }, barely).report)).toEqual(['open'])
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

  it('counts for trust if it is set aside in fewer than half of the duels', () => {
    const many = startedDuels({ validators, miners: MINERS })
    const apartIn = (contenders: readonly string[]) => {
      const rates: Scene['rates'] = (validator, _, contender) =>
        validator === 'v5' && contenders.includes(contender) ? [0, 1] : [0.5625, 0.4375]
      const before = run(2, { validators, miners: MINERS, rates }, many)
      const { state } = after(before.state, { validators, miners: MINERS, rates })
      const faded = Math.floor(((before.state.trust.v5?.correct ?? 0) * 15) / 16)
      return (state.trust.v5?.correct ?? 0) - faded
    }
    expect([apartIn(['m3']), apartIn(['m3', 'm4'])]).toEqual([2_000_000, 0])
  })
})

describe('an undecided environment', () => {
  it('does not count in N from the fifth epoch on', () => {
    const few: Scene = {
      rates: (_, env) => (env === MULT8 ? [1 / 64, 1 / 64] : [9 / 32, 7 / 32]),
    }
    expect(verdictsOf(run(4, few).state)).toEqual({})
    const { report, state } = run(5, few)
    expect([lookAt(report, MULT8)?.given, verdictsOf(state)]).toEqual(['even', { [MULT8]: 'even' }])
    // The other environment is the sole deciding one.
    const won = run(1, { rates: [0.75, 0.25] }, state)
    expect(won.state.champion?.hotkey).toBe('m2')
  })
})

describe('the list of duels', () => {
  it('is filled from the queue in each epoch, up to eight', () => {
    const miners = Array.from({ length: 12 }, (_, i) => miner(`m${String(i).padStart(2, '0')}`, i))
    const state = startedDuels({ miners })
    expect(duelsOf(state)).toEqual(miners.slice(1, 9).map(({ hotkey }) => hotkey))
    const rates: Scene['rates'] = (_, _env, contender) =>
      contender === 'm03' || contender === 'm05' ? [0, 1] : [0.5625, 0.4375]
    const next = after(state, { miners, rates }).state
    expect(duelsOf(next)).toEqual(['m01', 'm02', 'm04', 'm06', 'm07', 'm08', 'm09', 'm10'])
    expect(next.duels.map(({ start }) => start)).toEqual([12, 12, 12, 12, 12, 12, 13, 13])
  })

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

  it('has no miner twice: neither the champion nor a contender waits', () => {
    const again = [miner('m1', 9, 'new'), miner('m2', 9, 'new'), miner('m3', 3)]
    const { state } = after(started, { ...CLOSE, miners: again })
    expect(duelsOf(state)).toEqual(['m2', 'm3'])
    const over = after(state, { ...LOSING, miners: again }).state
    expect(over.duels.map(({ contender }) => contender)).toEqual([content(miner('m2', 9, 'new'))])
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

  it('begins no duel while one is won', () => {
    const miners = [...MINERS, miner('m5', 5)]
    const { state } = after(three, { ...playing({ m2: [1, 0] }), miners })
    expect(duelsOf(state)).toEqual(['m2', 'm3', 'm4'])
    const next = after(state, { ...playing({ m3: [0, 1], m4: [0, 1] }), miners })
    expect([next.report.crowned, duelsOf(next.state)]).toEqual(['m2', ['m5']])
  })

  it('takes the best of several once all have had eight epochs, and ends all their turns', () => {
    const scene = playing({ m2: [0.9, 0.1], m3: [0.95, 0.05], m4: [0, 1] })
    const seven = run(7, scene, three)
    expect([standings(seven.report), seven.report.crowned]).toEqual([['won', 'won'], undefined])
    const { state, report } = after(seven.state, scene)
    expect([report.crowned, state.champion?.hotkey, state.duels]).toEqual(['m3', 'm3', []])
    const left = 360 * 20 - 1
    expect(state.lastPlayed).toEqual({
      m1: { content: digestContent(miner('m1')), left },
      m2: { content: digestContent(miner('m2')), left },
      m3: { content: digestContent(miner('m3')) },
      m4: { content: digestContent(miner('m4')), left: 360 * 13 - 1 },
    })
  })

  it('waits in a frozen epoch', () => {
    const { state } = after(started, { ...WINNING, silent: ['v3', 'v4'] })
    expect(state.champion?.hotkey).toBe('m1')
    const scene = playing({ m2: [1, 0], m3: [0, 1] })
    const won = after(three, scene).state
    const last: Scene = { ...playing({ m4: [0, 1] }), silent: ['v3', 'v4'] }
    const four = run(4, last, won) // m4 is lost by its frozen epochs
    expect([standings(four.report), four.report.crowned, duelsOf(four.state)]).toEqual([
      ['won', 'lost'],
      undefined,
      ['m2'],
    ])
    expect(frozenIn(four.state.duels[0])).toBe(4) // which end no won duel
    expect(after(four.state, scene).report.crowned).toBe('m2')
  })
})

describe('a hotkey that is not registered', () => {
  it('loses its trust, head and last turn, but not its tallies', () => {
    const one = after(started, { ...LOSING }).state
    expect(Object.keys(one.lastPlayed)).toEqual(['m1', 'm2'])
    const { state } = after(started, { ...CLOSE, unregistered: ['v2'] })
    const { heads, trust, duels, due } = state
    expect([Object.keys(heads), Object.keys(trust)]).toEqual([
      ['v1', 'v3', 'v4'],
      ['v1', 'v3', 'v4'],
    ])
    expect(duels[0]?.tallies[0]?.[MULT8]?.v2).toBeDefined()
    expect(Object.keys(due)).not.toContain('v2')
    expect(Object.keys(after(one, { unregistered: ['m2'] }).state.lastPlayed)).toEqual(['m1'])
  })
})

describe('heads', () => {
  it('are the last seals of due validators, valid or not, and stay without a new one', () => {
    const one = after(started, { ...CLOSE, broken: ['v1'], unsealed: ['v2'] }).state
    expect(one.heads).toEqual({ v1: HEAD, v3: HEAD, v4: HEAD })
    const { heads } = decide(one, { ...epochOf(one, CLOSE), seals: { v1: NEXT, m1: NEXT } }).state
    expect(heads).toEqual({ v1: NEXT, v3: HEAD, v4: HEAD })
  })
})

describe('new constants', () => {
  it('apply immediately, and restart all duels without their verdicts', () => {
    const protocol: Protocol = withQuota(MAIN, 64, 512)
    const rates: Scene['rates'] = (_, _env, who) => (who === 'm2' ? [1, 0] : [0.5625, 0.4375])
    const won = after(three, { miners: MINERS, rates }).state
    expect(Object.keys(verdictsOf(won) ?? {})).toEqual(ENVS)
    const { state } = after(won, { ...CLOSE, miners: MINERS, protocol })
    expect([state.protocol, duelsOf(state)]).toEqual([protocol, ['m2', 'm3', 'm4']])
    for (const { contender: _, ...duel } of state.duels)
      expect(duel).toEqual({ start: 14, tallies: [], verdicts: {} })
    expect(after(won, { ...CLOSE, miners: MINERS }).state.duels[0]?.start).toBe(12)
  })
})
