import { pcg64 } from '@affine/prng'
import { describe, expect, it, test } from 'vitest'
import {
  attestedLanes,
  contentOf,
  type DuelSnapshot,
  decide,
  duelId,
  encodeState,
  firstState,
  type Lanes,
  type Miner,
  nextContenders,
  type Protocol,
  parseState,
  type State,
  trustOf,
  weighToday,
} from '../src/index.ts'
import {
  ENVS,
  epochOf,
  HEAD,
  MAIN,
  MULT8,
  miner,
  NEXT,
  OTHER,
  type Scene,
  scored,
  TICTACTOE,
  withQuota,
} from './subnet.ts'

const content = ({ hotkey, model, revision, chute }: Miner) => ({ hotkey, model, revision, chute })
const after = (state: State, scene?: Scene) => decide(state, epochOf(state, scene))
const first = firstState(MAIN, 10)
const VOTERS = ['v1', 'v2', 'v3', 'v4']
/** m1 has the throne, m2 its first epoch against it. */
const started = after(first).state
const CLOSE: Scene = { rates: [0.5625, 0.4375] } // 18 of 32: neither wins nor holds in the first epochs
const TIED: Scene = { rates: [0.03, 0.03] } // 6 % decisive: not even, and too few to tell
const WINNING: Scene = { rates: [1, 0] }
const LOSING: Scene = { rates: [0, 1] }

/** The report and state after `epochs` epochs of the same scene. */
function run(epochs: number, scene: Scene, from: State = started) {
  let settled = { state: from, report: after(from, scene).report }
  for (let i = 0; i < epochs; i++) settled = after(settled.state, scene)
  return settled
}

describe('an empty throne', () => {
  it('starts empty, with nobody due', () => {
    expect(first).toEqual({
      protocol: MAIN,
      epoch: 10,
      ratio: 510_000,
      record: {},
      turns: 0,
      dueled: {},
      trust: {},
      heads: {},
      due: {},
    })
    expect(attestedLanes(first, epochOf(first).snapshot)).toEqual([])
  })

  it('goes to the head of the queue without a duel, and the next one challenges', () => {
    const { champion, duel, dueled, due, epoch } = started
    expect([champion, epoch]).toEqual([content(miner('m1')), 11])
    const had = (hotkey: string) => ({
      registered: 0,
      duels: 1,
      ended: 10,
      content: contentOf(miner(hotkey)),
    })
    expect(dueled).toEqual({ m1: had('m1'), m2: had('m2') })
    expect(duel).toEqual({
      id: duelId(miner('m1'), miner('m2'), 11),
      champion: content(miner('m1')),
      contender: content(miner('m2')),
      start: 11,
      ratio: 510_000,
      weights: { v1: 1_000_000, v2: 1_000_000, v3: 1_000_000, v4: 1_000_000 },
      stakes: { v1: '1000', v2: '1000', v3: '1000', v4: '1000' },
      frozen: 0,
      tallies: {},
      verdicts: {},
    })
    expect(due).toEqual({ v1: NEXT, v2: NEXT, v3: NEXT, v4: NEXT })
  })

  it('stays empty without miners', () => {
    const { state } = after(first, { miners: [] })
    expect(state).toEqual({ ...first, epoch: 11, attested: started.attested })
  })

  it('has nobody due while there is no contender', () => {
    const { state } = after(first, { miners: [miner('m1')] })
    expect([state.champion?.hotkey, state.duel, state.due]).toEqual(['m1', undefined, {}])
  })

  it('starts no duel without a voter, and keeps the contender in the queue', () => {
    const scene = { validators: [] }
    const { state } = after(first, scene)
    expect([state.champion?.hotkey, state.duel]).toEqual(['m1', undefined])
    expect(Object.keys(state.dueled)).toEqual(['m1'])
    // Whoever attests for the first time votes from the next epoch on.
    const heard = after(state).state
    expect([Object.keys(heard.attested ?? {}), heard.duel]).toEqual([VOTERS, undefined])
    expect(after(heard).state.duel?.contender.hotkey).toBe('m2')
  })
})

describe('a quorum', () => {
  const absent = (silent: readonly string[], state = first) => after(state, { silent }).state

  it('is two thirds of the weight of all active validators: till then no duel starts', () => {
    const { duel, champion, dueled } = absent(['v3', 'v4'])
    expect([duel, champion?.hotkey, Object.keys(dueled)]).toEqual([undefined, 'm1', ['m1']])
    expect(absent(['v3', 'v4'], absent(['v3', 'v4'])).duel).toBeUndefined()
    const back = absent(['v4'], absent(['v3', 'v4']))
    expect(back.duel?.contender.hotkey).toBe('m2')
  })

  it('has the absent among the voters, with the stake of their last attestation', () => {
    const { duel, due } = absent(['v4'])
    expect([Object.keys(duel?.weights ?? {}), Object.keys(due)]).toEqual([
      VOTERS,
      VOTERS.slice(0, 3),
    ])
  })

  it('drops who has not attested for twenty epochs, or is not registered', () => {
    let state = after(first, { miners: [] }).state
    const gone: Scene = { miners: [], silent: ['v4'] }
    for (let epoch = 0; epoch < 19; epoch++) state = after(state, gone).state
    expect(state.attested?.v4).toEqual({ epoch: 10, stake: '1000' })
    state = after(state, gone).state
    expect(Object.keys(state.attested ?? {})).toEqual(['v1', 'v2', 'v3'])
    const three = after(state, { ...gone, validators: ['v1', 'v2'] }).state
    expect(Object.keys(three.attested ?? {})).toEqual(['v1', 'v2'])
  })

  it('leaves out, in the first epoch, whose slot holds a miner’s commitment', () => {
    const { snapshot, ...rest } = epochOf(first)
    const staked = { hotkey: 'm2', stake: 10n ** 9n }
    const seen = { ...snapshot, validators: [...snapshot.validators, staked] }
    const { attested, duel } = decide(first, { ...rest, snapshot: seen }).state
    expect(Object.keys(attested ?? {})).toEqual(VOTERS)
    expect(duel?.contender.hotkey).toBe('m2')
  })

  it('counts the lesser of the stake now and the stake at the last attestation', () => {
    const waiting = after(first, { miners: [] }).state
    const { duel } = after(waiting, { stakes: { v1: 9000n, v2: 500n, v3: 0n } }).state
    expect(duel?.stakes).toEqual({ v1: '1000', v2: '500', v4: '1000' })
    expect(duel?.weights).toEqual({ v1: 1_000_000, v2: 500_000, v4: 1_000_000 })
  })
})

describe('the queue', () => {
  const { snapshot } = epochOf(first, {
    miners: [miner('z', 1), miner('b', 3), miner('a', 3), miner('B', 3), miner('y', 2)],
  })
  const names = (part: Partial<DuelSnapshot>, state = first) =>
    nextContenders(state, { ...snapshot, ...part }).map((m) => m.hotkey)

  it('is by block, then hotkey in code units', () => {
    expect(names({})).toEqual(['z', 'y', 'B', 'a', 'b'])
    expect(nextContenders(first, snapshot)[0]).toEqual(content(miner('z')))
  })
  it('leaves out who is not registered, and nobody for a permit: a rival could stake one into it', () => {
    expect(names({ validators: [{ hotkey: 'z', stake: 0n }] })).toEqual(['z', 'y', 'B', 'a', 'b'])
    expect(names({ hotkeys: ['a', 'b'] })).toEqual(['a', 'b'])
  })
  it('leaves out what was just played, and takes new content of the same hotkey', () => {
    const { dueled } = after(first, { miners: [miner('z', 1), miner('y', 2)] }).state
    expect(names({}, { ...first, dueled })).toEqual(['B', 'a', 'b'])
    expect(names({ miners: [miner('z', 9, 'new')] }, { ...first, dueled })).toEqual(['z'])
    expect(names({ miners: [miner('z', 9)] }, { ...first, dueled })).toEqual([])
  })
  it('gives every second turn to the one that waits longest, the others to the fewest turns', () => {
    const { dueled } = after(first, { miners: [miner('z', 1), miner('y', 2)] }).state
    // Both have had a turn that ended in block 3960, and z commits before y.
    const miners = [
      miner('z', 4000, 'new'),
      miner('y', 5000, 'new'),
      miner('a', 6000),
      miner('b', 7000),
    ]
    const order = (turns: number) =>
      names({ miners, hotkeys: ['z', 'y', 'a', 'b'] }, { ...first, dueled, turns })
    expect(order(2)).toEqual(['a', 'z', 'b', 'y'])
    expect(order(3)).toEqual(['z', 'a', 'y', 'b'])
  })
  it('counts waiting from the end of the last turn, if that is later than the commitment', () => {
    const had = { registered: 0, duels: 1, ended: 12 }
    const state = { ...first, dueled: { z: had }, turns: 1 }
    const order = (block: number) => names({ miners: [miner('z', 1), miner('a', block)] }, state)
    expect([order(13 * 360 - 1), order(13 * 360)]).toEqual([
      ['a', 'z'],
      ['a', 'z'],
    ])
    expect(order(13 * 360 + 1)).toEqual(['z', 'a'])
  })
  it('takes an old commitment for as old as its registration', () => {
    const old = { ...miner('old', 1), registered: 8 }
    expect(names({ miners: [old, miner('b', 3)], hotkeys: ['old', 'b'] })).toEqual(['b', 'old'])
  })
  it('starts a registration anew: its turns are gone with the old one', () => {
    const { dueled } = after(first, { miners: [miner('z', 1), miner('y', 2)] }).state
    const anew = { ...miner('z', 1), registered: 7 }
    expect(names({ miners: [anew] }, { ...first, dueled })).toEqual(['z'])
    expect(after({ ...first, dueled }, { miners: [] }).state.dueled).toEqual({})
  })
  it('leaves out text that has no digest', () => {
    expect(names({ miners: [{ ...miner('z'), model: '\ud800' }, miner('y')] })).toEqual(['y'])
    expect(names({ miners: [{ ...miner('z'), model: '\ud800', revision: '\udc00' }] })).toEqual([])
  })
})

describe('weights', () => {
  const of = (validators: DuelSnapshot['validators'], state: State = first) => {
    const { snapshot, ...rest } = epochOf(state, {})
    const [{ attest } = {}] = snapshot.validators
    const attesting = validators.map((v) => ({ ...(attest && { attest }), ...v }))
    const hotkeys = [...snapshot.hotkeys, ...validators.map(({ hotkey }) => hotkey)]
    const seen = { ...snapshot, hotkeys, validators: attesting }
    return decide(state, { ...rest, snapshot: seen }).state.duel?.weights
  }

  it('are stake × trust in ppm of the heaviest, rounded down, none of nothing', () => {
    const state = { ...first, trust: { v2: { correct: 1_000_000, incorrect: 0 } } }
    const [v1, v2, v3, v4] = [3000n, 3000n, 1n, 0n].map((stake, i) => ({
      hotkey: `v${i + 1}`,
      stake,
    }))
    // the trust of v1 is 500000, of v2 666666: 500000 / 666666 = 0.75000075
    expect(of([v1, v2, v3, v4] as DuelSnapshot['validators'], { ...state })).toEqual({
      v1: 750_000,
      v2: 1_000_000,
      v3: 250,
    })
    expect(
      of([
        { hotkey: 'v1', stake: 10n ** 18n },
        { hotkey: 'v2', stake: 1n },
      ]),
    ).toEqual({ v1: 1_000_000 })
  })

  it('are of those that attested in the last epochs', () => {
    const attested = { v1: { epoch: 9, stake: '1' } }
    const both = ['v1', 'v2'].map((hotkey) => ({ hotkey, stake: 1n }))
    expect(of(both, { ...first, attested })).toEqual({ v1: 1_000_000 })
  })

  it('are as many as an attestation has bits: the heaviest', () => {
    const many = Array.from({ length: 200 }, (_, i) => ({
      hotkey: `v${i}`,
      stake: BigInt(1000 + i),
    }))
    const attested = Object.fromEntries(
      many.map(({ hotkey, stake }) => [hotkey, { epoch: 9, stake: String(stake) }]),
    )
    const weights = of(many, { ...first, attested }) ?? {}
    expect(Object.keys(weights).length).toBe(128)
    expect(weights.v72).toBe(894_078) // 1072 / 1199
    expect(weights.v71).toBeUndefined()
  })

  it('are less in an epoch that ends with less stake than the duel began with', () => {
    const today = (stakes: Record<string, bigint>, validators = ['v1', 'v2', 'v3', 'v4']) =>
      weighToday(started.duel!, epochOf(started, { stakes, validators }).snapshot)
    const whole = { v1: 1_000_000, v2: 1_000_000, v3: 1_000_000, v4: 1_000_000 }
    expect(today({})).toEqual(whole)
    expect(today({ v1: 10n ** 18n, v2: 1001n })).toEqual(whole) // more stake adds nothing
    expect(today({ v1: 1n, v2: 999n })).toEqual({ ...whole, v1: 1000, v2: 999_000 })
    expect(today({}, ['v2', 'v3'])).toEqual({ ...whole, v1: 0, v4: 0 }) // no permit
  })

  it('borrowed for one block freeze nothing', () => {
    // v5 has 60 % in the snapshot at which a network's first duel starts, and nothing after
    const validators = ['v1', 'v2', 'v3', 'v4', 'v5']
    const state = after(first, { validators, stakes: { v5: 6000n } }).state
    expect(state.duel?.weights.v5).toBe(1_000_000)
    const scene = { ...WINNING, validators, stakes: { v5: 0n }, silent: ['v5'] }
    const { report } = after(state, { ...scene, unsealed: ['v5'] })
    expect([report.frozen, report.outcome]).toEqual([false, 'contender'])
  })

  it('are kept for the whole duel; who comes later is in the next', () => {
    const scene = { ...CLOSE, validators: ['v1', 'v2', 'v3', 'v4', 'v5'] }
    const { state } = run(1, scene)
    expect(state.duel?.weights).toEqual(started.duel?.weights)
    expect(Object.keys(state.due)).toEqual(['v1', 'v2', 'v3', 'v4'])
    const { duel } = after(run(1, { ...LOSING, validators: scene.validators }).state, {
      ...scene,
      miners: [miner('m1'), miner('m3', 3)],
    }).state
    expect(Object.keys(duel?.weights ?? {})).toEqual(['v1', 'v2', 'v3', 'v4', 'v5'])
  })
})

describe('acceptance', () => {
  const lanesOf = (scene: Scene) => after(started, { ...CLOSE, ...scene }).report

  it('takes lanes that are sealed, whole and attested', () => {
    const { frozen, lanes, envs } = lanesOf({})
    const attesters = ['v1', 'v2', 'v3', 'v4']
    const lane = { sealed: true, attesters, attested: true, accepted: true, setAside: [] }
    expect([frozen, lanes]).toEqual([false, { v1: lane, v2: lane, v3: lane, v4: lane }])
    // 18 and 32 times 4·10^6 − ⌈4·10^6 / 3⌉
    expect(envs[MULT8]?.win).toEqual({ wins: 47_999_988n, trials: 85_333_312n, unit: 1_000_000n })
  })

  it.each([
    ['no seal in time', { unsealed: ['v2'] }],
    ['not whole', { broken: ['v2'] }],
    ['attested by nobody', { unattested: ['v2'] }],
  ] as const)('leaves out a lane with %s, and its validator loses trust', (_, scene) => {
    const { state, report } = after(started, { ...CLOSE, ...scene })
    expect([report.lanes.v2?.accepted, report.frozen]).toEqual([false, false])
    expect(Object.keys(state.duel?.tallies[MULT8]?.[0] ?? {})).toEqual(['v1', 'v3', 'v4'])
    expect(state.trust.v2).toEqual({ correct: 0, incorrect: 2_000_000 })
    expect(state.trust.v1).toEqual({ correct: 2_000_000, incorrect: 0 })
  })

  it.each([
    ['played less than the quota', scored({ wins: 16, losses: 15, played: 31 })],
    ['played more', scored({ wins: 16, losses: 16, played: 33 })],
    ['more decisive than played', scored({ wins: 32, losses: 1, played: 32 })],
    ['negative', scored({ wins: -1, losses: 0, played: 32 })],
    ['a fraction', scored({ wins: 0.5, losses: 0, played: 32 })],
    ['not a number', scored({ wins: Number.NaN, losses: 0, played: 32 })],
    ['negative points', { ...scored({ wins: 16, losses: 16, played: 32 }), championPoints: -1 }],
    [
      'a fraction of a point',
      { ...scored({ wins: 16, losses: 16, played: 32 }), contenderPoints: 0.5 },
    ],
    [
      'more points than there are',
      { ...scored({ wins: 16, losses: 16, played: 32 }), championPoints: 32_000_001 },
    ],
  ])('takes no lane for whole that has %s', (_, tally) => {
    const facts = epochOf(started, CLOSE)
    const reportOn = (v2: Lanes[string]) =>
      decide(started, { ...facts, lanes: { ...facts.lanes, v2 } }).report.lanes.v2
    const { v2 } = facts.lanes
    expect(reportOn({ ...v2, [MULT8]: tally })).toMatchObject({ attested: true, accepted: false })
    const { [MULT8]: _absent, ...rest } = v2 ?? {}
    expect(reportOn(rest)?.accepted).toBe(false)
  })

  it('wants more than half of the weight that attests, its own included', () => {
    const attestedBy = (hotkeys: readonly string[]) => {
      const { snapshot, seals, lanes } = epochOf(started, CLOSE)
      const silent = new Uint8Array(16)
      const validators = snapshot.validators.map((v) => ({
        ...v,
        ...(v.attest && {
          attest: { ...v.attest, bitmap: hotkeys.includes(v.hotkey) ? v.attest.bitmap : silent },
        }),
      }))
      const seen = { ...snapshot, validators }
      const { report } = decide(started, { snapshot: seen, seals, lanes })
      expect(attestedLanes(started, seen)).toEqual(
        Object.keys(report.lanes).filter((hotkey) => report.lanes[hotkey]?.accepted),
      )
      return report
    }
    expect(attestedBy(['v1', 'v2']).lanes.v1).toMatchObject({
      attesters: ['v1', 'v2'],
      accepted: false,
    })
    expect(attestedBy(['v1', 'v2', 'v3']).lanes.v1).toMatchObject({
      attesters: ['v1', 'v2', 'v3'],
      accepted: true,
    })
    expect(attestedBy(['v2', 'v3', 'v4']).lanes.v1?.attesters).toEqual(['v2', 'v3', 'v4'])
    expect(attestedBy(['v1', 'v2']).frozen).toBe(false)
  })

  it('is by the weight that attests: who is silent has no say in it', () => {
    const scene: Scene = { ...CLOSE, silent: ['v4'] }
    const two = after(started, { ...scene, validators: ['v1', 'v2', 'v3', 'v4'] }).report
    expect([two.frozen, two.lanes.v4?.accepted]).toEqual([false, true])
    const { snapshot, seals, lanes } = epochOf(started, scene)
    const [v1, v2, v3, v4] = snapshot.validators
    const apart = { ...v3, attest: { ...v3!.attest!, bitmap: new Uint8Array(16) } }
    const seen = { ...snapshot, validators: [v1!, v2!, apart as typeof v1 & object, v4!] }
    expect(attestedLanes(started, seen)).toEqual(['v1', 'v2', 'v3', 'v4']) // two of three
    expect(decide(started, { snapshot: seen, seals, lanes }).report.frozen).toBe(false)
  })

  it('hears no attestation of another epoch, or of another state', () => {
    const { snapshot, seals, lanes } = epochOf(started, CLOSE)
    for (const change of [{ epoch: 10 }, { epoch: 12 }, { stateRoot: HEAD }]) {
      const validators = snapshot.validators.map((v) =>
        v.attest && v.hotkey > 'v2' ? { ...v, attest: { ...v.attest, ...change } } : v,
      )
      const seen = { ...snapshot, validators }
      const { state, report } = decide(started, { snapshot: seen, seals, lanes })
      expect([report.frozen, report.lanes.v1?.attesters]).toEqual([true, ['v1', 'v2']])
      expect(Object.keys(state.due)).toEqual(['v1', 'v2'])
    }
  })

  it('reads bit i as the i-th hotkey of the weights, ascending, and missing bytes as nothing', () => {
    const { snapshot } = epochOf(started, CLOSE)
    const with_ = (bitmap: Uint8Array) => ({
      ...snapshot,
      validators: snapshot.validators.map((v) => ({
        ...v,
        ...(v.attest && { attest: { ...v.attest, bitmap } }),
      })),
    })
    expect(attestedLanes(started, with_(Uint8Array.of(0b0101)))).toEqual(['v1', 'v3'])
    expect(attestedLanes(started, with_(Uint8Array.of(0b11111000)))).toEqual(['v4'])
    expect(attestedLanes(started, with_(new Uint8Array()))).toEqual([])
  })
})

describe('a frozen epoch', () => {
  const scene = { ...WINNING, silent: ['v3', 'v4'] }

  it('adds nothing, decides nothing, and moves no trust; the rest goes on', () => {
    const { state, report } = after(started, scene)
    expect([report.frozen, report.outcome]).toEqual([true, undefined])
    expect(state.duel).toEqual({ ...started.duel, frozen: 1 })
    expect(state.trust).toEqual({})
    expect(state.heads).toEqual({ v1: HEAD, v2: HEAD, v3: HEAD, v4: HEAD })
    expect(Object.keys(state.due)).toEqual(['v1', 'v2'])
    expect(attestedLanes(started, epochOf(started, scene).snapshot)).toEqual([])
  })

  it('calls nothing even', () => {
    const four = run(4, { rates: [0, 0] }).state
    const { state, report } = after(four, { rates: [0, 0], silent: ['v3', 'v4'] })
    expect([report.frozen, state.duel]).toEqual([true, { ...four.duel, frozen: 1 }])
  })

  it('counts among the epochs of the duel', () => {
    const five = run(5, TIED, run(2, scene).state)
    expect([five.state.duel?.start, five.state.duel?.frozen]).toEqual([11, 2])
    expect(run(6, TIED, run(2, scene).state).report.outcome).toBe('champion')
  })

  it.each([0, 4])('ends the duel when it is the fourth, after %i others', (others) => {
    const three = run(3, scene, run(others, TIED).state)
    expect([three.report.outcome, three.state.duel?.frozen]).toEqual([undefined, 3])
    const { state, report } = after(three.state, scene)
    expect([report.outcome, state.champion?.hotkey, state.duel]).toEqual([
      'champion',
      'm1',
      undefined,
    ])
    // The turn counts, and the same commitment waits again.
    expect(state.dueled.m2).toEqual({ registered: 0, duels: 1, ended: 14 + others })
    expect(after(state).state.duel).toMatchObject({ contender: { hotkey: 'm2' }, frozen: 0 })
  })

  it('when it is the fourth, puts the contender behind whoever waits', () => {
    const three = run(3, scene).state
    const newer = after(three, {
      ...scene,
      miners: [miner('m1'), miner('m2', 2), miner('m3', 5000)],
    })
    const queue = { ...newer.state, turns: 1 }
    const { snapshot } = epochOf(newer.state, { miners: [miner('m2', 2), miner('m3', 5000)] })
    expect(nextContenders(queue, snapshot).map(({ hotkey }) => hotkey)).toEqual(['m3', 'm2'])
  })

  it('is not an epoch with two thirds of the weight', () => {
    const validators = ['v1', 'v2', 'v3']
    const three = after(first, { validators }).state
    expect(after(three, { ...CLOSE, validators, silent: ['v3'] }).report.frozen).toBe(false)
    expect(after(three, { ...CLOSE, validators, silent: ['v2', 'v3'] }).report.frozen).toBe(true)
    expect(after(three, { ...CLOSE, validators, silent: validators }).report.frozen).toBe(true)
    expect(after(three, { ...CLOSE, validators: [] }).report.frozen).toBe(true)
  })

  it('is none for want of lanes: what is not there is trimmed anyway', () => {
    const { state, report } = after(started, { ...CLOSE, unsealed: ['v2', 'v3', 'v4'] })
    expect(report.frozen).toBe(false)
    expect(Object.keys(state.duel?.tallies[MULT8]?.[0] ?? {})).toEqual(['v1'])
    expect(state.trust.v2).toEqual({ correct: 0, incorrect: 2_000_000 })
  })
})

describe('a verdict', () => {
  it('for the contender crowns it, and its lower bound is the ratio to beat', () => {
    const { state, report } = after(started, {
      ...WINNING,
      miners: [miner('m1'), miner('m2', 2), miner('m3', 3)],
    })
    expect([report.envs[MULT8]?.given, report.envs[TICTACTOE]?.given, report.outcome]).toEqual([
      'win',
      'win',
      'contender',
    ])
    expect([state.champion, state.ratio]).toEqual([content(miner('m2')), 800_000])
    expect(state.duel).toMatchObject({
      champion: { hotkey: 'm2' },
      contender: { hotkey: 'm3' },
      start: 12,
      ratio: 800_000,
    })
    expect(after(started, { rates: [0.8125, 0.1875] }).state.ratio).toBe(733_795)
  })

  it('for the champion ends the duel as soon as the contender cannot win it any more', () => {
    const split: Scene = { rates: (_, env) => (env === MULT8 ? [0, 1] : [0.5625, 0.4375]) }
    const { state, report } = after(started, split)
    expect([report.envs[MULT8]?.given, report.envs[TICTACTOE]?.given, report.outcome]).toEqual([
      'hold',
      undefined,
      'champion',
    ])
    expect([state.champion, state.duel, state.due]).toEqual([content(miner('m1')), undefined, {}])
  })

  it('stays once given, and its environment is not sampled further', () => {
    const split: Scene = { rates: (_, env) => (env === MULT8 ? [1, 0] : [0.5625, 0.4375]) }
    const { state } = after(started, split)
    expect(state.duel?.verdicts).toEqual({ [MULT8]: 'win' })
    const next = after(state, { ...split, ...LOSING })
    expect(Object.keys(next.report.envs)).toEqual([TICTACTOE])
    expect(next.state.duel).toBeUndefined() // lost in the other
    const still = after(state, CLOSE).state
    expect(still.duel?.tallies[MULT8]).toEqual(state.duel?.tallies[MULT8])
    expect(still.trust.v1).toEqual({ correct: 2_875_000, incorrect: 0 }) // 2·15/16 + 1
  })

  it('counts what lanes saw over the whole duel, also of a validator that is not due any more', () => {
    const one = after(started, CLOSE).state
    const two = after(one, { ...CLOSE, broken: ['v2'] }).state
    const first = scored({ wins: 18, losses: 14, played: 32 })
    const second = scored({ wins: 36, losses: 28, played: 64 })
    expect(two.duel?.tallies[MULT8]).toEqual([
      { v1: first, v2: first, v3: first, v4: first },
      { v1: second, v3: second, v4: second },
    ])
  })

  it('comes within eight epochs, or the champion holds', () => {
    const drawn: Scene = { rates: [0.03, 0.03] } // 6 % decisive: not even, and too few to tell
    const seven = run(7, drawn)
    expect([seven.report.outcome, seven.state.duel?.start, seven.state.epoch]).toEqual([
      undefined,
      11,
      18,
    ])
    const { state, report } = run(8, drawn)
    expect([report.outcome, state.champion?.hotkey, state.duel]).toEqual([
      'champion',
      'm1',
      undefined,
    ])
  })
})

describe('an outlier', () => {
  const lying = (liars: readonly string[]): Scene => ({
    validators: ['v1', 'v2', 'v3', 'v4', 'v5'],
    rates: (validator) => (liars.includes(validator) ? [1, 0] : [0.4375, 0.5625]),
  })
  const five = after(first, lying([])).state

  it('is set aside on what it saw over the duel, and gets neither count of trust', () => {
    const close: Scene = { ...lying([]), ...CLOSE }
    const second = after(after(five, close).state, {
      ...close,
      rates: (validator) => (validator === 'v5' ? [0, 1] : [0.5625, 0.4375]),
    })
    expect(second.report.lanes.v5).toMatchObject({ accepted: true, setAside: [] }) // 18 of 96, not yet far enough
    const third = after(second.state, {
      ...close,
      rates: (validator) => (validator === 'v5' ? [0, 1] : [0.5625, 0.4375]),
    })
    expect(third.report.lanes.v5).toMatchObject({ accepted: true, setAside: ENVS })
    const faded = Math.floor((second.state.trust.v5!.correct * 15) / 16)
    expect(third.state.trust.v5).toEqual({ correct: faded, incorrect: 0 })
    expect(third.report.envs[MULT8]?.tallies.v5).toEqual(
      scored({ wins: 18, losses: 206, played: 224 }),
    )
  })

  it('below a third does not crown', () => {
    let state = five
    for (let epoch = 0; epoch < 8 && state.duel; epoch++) state = after(state, lying(['v5'])).state
    expect(state.champion?.hotkey).toBe('m1')
  })
})

describe('an even environment', () => {
  it('leaves N from the fifth epoch on', () => {
    const half: Scene = { rates: (_, env) => (env === MULT8 ? [0, 0] : [0.53125, 0.46875]) }
    expect(run(4, half).state.duel?.verdicts).toEqual({})
    const { report, state } = run(5, half)
    expect([report.envs[MULT8]?.given, report.envs[MULT8]?.decisivePpm]).toEqual(['even', 0])
    expect(state.duel?.verdicts[MULT8]).toBe('even')
    // alone in N, the other one decides
    const won = run(1, { rates: [0.75, 0.25] }, state)
    expect([won.report.outcome, won.state.champion?.hotkey]).toEqual(['contender', 'm2'])
  })

  it('leaves the other alone: a win given before has to meet the stricter bar, or is open again', () => {
    const early = (wins: number): Scene => ({
      rates: (_, env) => (env === MULT8 ? [wins / 32, 1 - wins / 32] : [0, 0]),
    })
    expect(run(1, early(22)).state.duel?.verdicts).toEqual({ [MULT8]: 'win' })
    expect(run(4, early(22)).state.duel?.verdicts).toEqual({ [MULT8]: 'win' })
    const { state, report } = run(5, early(22))
    expect([report.outcome, state.duel?.verdicts]).toEqual([undefined, { [TICTACTOE]: 'even' }])
    expect(report.verdicts).toEqual({ [TICTACTOE]: 'even' })
    expect(run(6, early(22)).report.outcome).toBe('contender') // seventeen times the trials
    expect(run(5, early(30)).report.outcome).toBe('contender')
  })

  it('with no other left means that the champion holds', () => {
    const { report, state } = run(5, { rates: [0, 0] })
    expect([report.outcome, state.champion?.hotkey]).toEqual(['champion', 'm1'])
  })

  it('is not one with a decisive challenge in twenty', () => {
    const { duel } = run(5, { rates: [0.03, 0.03] }).state
    expect(duel?.verdicts).toEqual({})
  })
})

describe('who leaves', () => {
  const gone = (miners: Scene['miners']) => after(started, { ...CLOSE, ...(miners && { miners }) })
  const raised = { ...started, ratio: 600_000 }

  it('the champion: its contender takes the throne, the ratio unchanged but for its decay', () => {
    const { state, report } = after(raised, { ...CLOSE, miners: [miner('m2', 2), miner('m3', 3)] })
    expect([report.outcome, state.champion, state.ratio]).toEqual([
      'contender',
      content(miner('m2')),
      595_652,
    ])
    expect(state.duel).toMatchObject({ champion: { hotkey: 'm2' }, contender: { hotkey: 'm3' } })
  })

  it('the champion by changing what it commits to; it may come again', () => {
    const { state } = gone([miner('m1', 9, 'new'), miner('m2', 2)])
    expect(state.champion).toEqual(content(miner('m2')))
    expect(state.duel?.contender).toEqual(content(miner('m1', 9, 'new')))
  })

  it.each(['model', 'revision', 'chute'])('the champion by changing its %s', (field) => {
    const { state } = gone([{ ...miner('m1'), [field]: 'other' }, miner('m2', 2)])
    expect([state.champion?.hotkey, state.duel?.contender.hotkey]).toEqual(['m2', 'm1'])
  })

  it('the champion by being registered no more', () => {
    const { snapshot, seals, lanes } = epochOf(started, CLOSE)
    const hotkeys = snapshot.hotkeys.filter((hotkey) => hotkey !== 'm1')
    const facts = { snapshot: { ...snapshot, hotkeys }, seals, lanes }
    expect(decide(started, facts).state.champion?.hotkey).toBe('m2')
  })

  it('the contender: it loses', () => {
    const { state, report } = gone([miner('m1'), miner('m2', 9, 'new')])
    expect([report.outcome, state.champion]).toEqual(['champion', content(miner('m1'))])
    expect(state.duel?.contender).toEqual(content(miner('m2', 9, 'new')))
    expect(gone([miner('m1')]).state.duel).toBeUndefined()
  })

  it('both: the throne goes to the head of the queue', () => {
    const { state, report } = gone([miner('m3', 3), miner('m4', 4)])
    expect([report.outcome, state.champion?.hotkey, state.duel?.contender.hotkey]).toEqual([
      'champion',
      'm3',
      'm4',
    ])
    expect(gone([]).state.champion).toBeUndefined()
  })

  it('a champion without a duel', () => {
    const alone = after(first, { miners: [miner('m1')] }).state
    expect(after(alone, { miners: [miner('m3')] }).state.champion?.hotkey).toBe('m3')
  })

  it('a contender after it won: the next one takes the seat, at the floor ratio', () => {
    const { state, report } = after(started, { ...WINNING, miners: [miner('m1'), miner('m3', 3)] })
    expect([report.outcome, state.champion?.hotkey, state.ratio]).toEqual([
      'contender',
      'm3',
      510_000,
    ])
  })

  it('a champion with a permit stays, and so does its contender', () => {
    const { snapshot, seals, lanes } = epochOf(started, CLOSE)
    const validators = [
      ...snapshot.validators,
      ...['m1', 'm2'].map((hotkey) => ({ hotkey, stake: 1n })),
    ]
    const facts = { snapshot: { ...snapshot, validators }, seals, lanes }
    expect(decide(started, facts).state.duel?.id).toBe(started.duel?.id)
  })

  it('validators that deregister lose trust and head, what they saw stays', () => {
    const { snapshot, seals, lanes } = epochOf(started, CLOSE)
    const hotkeys = snapshot.hotkeys.filter((hotkey) => hotkey !== 'v2')
    const facts = { snapshot: { ...snapshot, hotkeys }, seals, lanes }
    const { heads, trust, duel, due } = decide(started, facts).state
    expect([Object.keys(heads), Object.keys(trust)]).toEqual([
      ['v1', 'v3', 'v4'],
      ['v1', 'v3', 'v4'],
    ])
    expect(duel?.tallies[MULT8]?.[0]?.v2).toBeDefined()
    expect(Object.keys(due)).toContain('v2') // still had a permit in this snapshot
  })
})

describe('heads', () => {
  it('are the last seals of who was due, whole or not, and stay when there is none', () => {
    const one = after(started, { ...CLOSE, broken: ['v1'], unsealed: ['v2'] }).state
    expect(one.heads).toEqual({ v1: HEAD, v3: HEAD, v4: HEAD })
    const { heads } = decide(one, { ...epochOf(one, CLOSE), seals: { v1: NEXT, m1: NEXT } }).state
    expect(heads).toEqual({ v1: NEXT, v3: HEAD, v4: HEAD })
  })
})

describe('the protocol', () => {
  const change = withQuota(MAIN, 64, 512)
  const with_ = (protocol: Protocol, state: State, scene: Scene) => {
    const { snapshot, ...rest } = epochOf(state, scene)
    return decide(state, { ...rest, snapshot: { ...snapshot, protocol } }).state
  }

  it('is kept by a duel that runs, and changes with the next', () => {
    const running = with_(change, started, CLOSE)
    expect(running.protocol).toEqual(MAIN)
    const next = with_(change, running, {
      ...LOSING,
      miners: [miner('m1'), miner('m2', 2), miner('m3', 3)],
    })
    expect([next.protocol.envs[MULT8]?.quotaFirst, next.duel?.contender.hotkey]).toEqual([64, 'm3'])
  })

  it('changes when no duel runs', () => {
    expect(with_(OTHER, first, { miners: [] }).protocol).toEqual(OTHER)
  })
})

test('a contender with p = 0.55 against 0.51 dethrones; the ratio rises, then decays epoch by epoch', () => {
  const random = pcg64(55n)
  const validators = Array.from({ length: 7 }, (_, i) => `v${i}`)
  const flips = (n: number, p: number) =>
    Array.from({ length: n }, () => random.random() < p).filter(Boolean).length
  const scene: Scene = {
    validators,
    rates: () => [0, 0],
  }
  let state = after(first, scene).state
  let epochs = 0
  while (state.duel) {
    const { lanes, ...rest } = epochOf(state, scene)
    const sampled = Object.fromEntries(
      Object.entries(lanes).map(([hotkey, lane]) => [
        hotkey,
        Object.fromEntries(
          Object.entries(lane).map(([env, { played }]) => {
            const decisive = flips(played, 0.8)
            const wins = flips(decisive, 0.55)
            return [env, scored({ wins, losses: decisive - wins, played })]
          }),
        ),
      ]),
    )
    state = decide(state, { ...rest, lanes: sampled }).state
    epochs++
    const read = parseState(encodeState(state))
    expect(read.ok && read.value).toEqual(state)
  }
  expect(state.champion?.hotkey).toBe('m2')
  expect(epochs).toBeGreaterThan(1)
  expect(epochs).toBeLessThanOrEqual(8)
  expect(state.ratio).toBeGreaterThan(510_000)
  expect(state.ratio).toBeLessThan(550_000) // the bound below 0.55, not a lucky rate
  expect(
    Object.values(state.trust)
      .map(trustOf)
      .every((ppm) => ppm > 700_000),
  ).toBe(true)
  for (let epoch = 0; epoch < 200; epoch++) {
    const { ratio } = after(state, scene).state
    expect(ratio).toBe(510_000 + Math.floor(((state.ratio - 510_000) * 951_695) / 1_000_000))
    state = { ...state, ratio }
  }
  expect(state.ratio).toBe(510_000)
})
