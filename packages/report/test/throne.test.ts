import { firstState, type State } from '@affine/duel'
import { expect, it } from 'vitest'
import {
  crownedFirst,
  epochOf,
  MAIN,
  miner,
  type Scene,
  startedDuels,
} from '../../duel/test/subnet.ts'
import { epochFacts, epochLine, epochRecord, epochText } from '../src/index.ts'
import { settledBy } from './settled.ts'

const settledIn = (before: State, scene: Scene) => settledBy(before, epochOf(before, scene))
const begun = startedDuels()
const WINNING: Scene = { rates: [0.75, 0.25] }
const CLOSE: Scene = { rates: [0.3, 0.3] }
const LOSING: Scene = { rates: [0, 1] }

/** The lines about how duels ended, once the epoch of `before` has ended like this. */
const toldOf = (before: State, scene: Scene): readonly string[] =>
  epochText(epochFacts(settledIn(before, scene)), (hotkey) => hotkey)
    .split('\n')
    .slice(2)
    .filter((line) => /throne|fails|dethrones|better/.test(line))

it.each<[what: string, before: State, scene: Scene, line: string]>([
  ['the first miner', firstState(MAIN, 0), {}, 'm1 takes the empty throne, without a duel'],
  ['no miner', firstState(MAIN, 0), { miners: [] }, 'nobody has the throne, and nobody contends'],
  ['a contender', crownedFirst(), {}, 'm2 challenges m1: its duel begins'],
  [
    'nobody else',
    crownedFirst(),
    { miners: [miner('m1', 1)] },
    'nobody challenges m1; the share to win against it stays at 51 %',
  ],
  ['a duel that goes on', begun, CLOSE, 'm2 has won 0 of 2 environments'],
  ['a win', begun, WINNING, '★ m2 has won 2 of 2 environments, and takes the throne'],
  ['no win', begun, LOSING, 'm2 has won 0 of 2 environments, and is out'],
  [
    'too few who attest',
    begun,
    { silent: ['v3', 'v4'] },
    'frozen, as too few validators attested; m2 has won 0 of 2 environments',
  ],
])('the first line of an epoch says what happened in it: %s', (_, before, scene, line) => {
  const facts = epochFacts(settledIn(before, scene))
  expect(epochLine(facts, String)).toBe(`epoch ${before.epoch}  ${line}`)
  expect(epochText(facts, String).split('\n')[0]).toBe(epochLine(facts, String))
})

it.each<[what: string, scene: Scene, told: readonly string[]]>([
  [
    'a win',
    WINNING,
    [
      '  ★ m2 dethrones m1: the contender has won 2 of 2 environments, 2 needed. The ratio to beat becomes ',
    ],
  ],
  [
    'no win',
    LOSING,
    ['  m1 keeps the throne, m2 fails: the contender has won 0 of 2 environments, 2 needed'],
  ],
  ['neither yet', CLOSE, []],
  ['a commitment anew, and an eviction', { ...CLOSE, miners: [], unregistered: ['m1', 'm2'] }, []],
])('what becomes of the throne is told as it was: %s', (_, scene, told) => {
  const lines = toldOf(begun, scene)
  expect(lines).toHaveLength(told.length)
  for (const [i, line] of told.entries()) expect(lines[i]).toContain(line)
})

it('tells of a contender that has won and waits, and of one that another is better than', () => {
  const miners = ['m1', 'm2', 'm3'].map((hotkey, i) => miner(hotkey, i + 1))
  const scene: Scene = {
    miners,
    rates: (_, _env, contender) => (contender === 'm2' ? [0.75, 0.25] : [0.9, 0.1]),
  }
  let state = startedDuels({ miners })
  const told = Array.from({ length: 7 }, () => {
    const settled = settledIn(state, scene)
    state = settled.state
    return epochText(epochFacts(settled), (name) => name)
  })
  expect(told[0]).toContain('; m3 2 of 2, and waits\n')
  expect(told[0]).toContain('  m3 contends, epoch 1 of at most 8: it has won\n')
  // Of what is judged no more, the verdict that it has.
  expect(told[1]).toMatch(
    / m3 contends, epoch 2 of at most 8: it has won\n.*mult8@0.1.0 .* → win\n/,
  )
  expect(toldOf(state, scene)).toEqual([
    '  m2 had won as well, but m3 is better: the contender has won 2 of 2 environments, 2 needed',
    expect.stringContaining('  ★ m3 dethrones m1: the contender has won 2 of 2 environments'),
  ])
})

it('a throne taken without a duel is in the record', () => {
  expect(epochRecord(settledIn(firstState(MAIN, 0), {}))).toMatchObject({ seated: 'm1' })
  expect(epochRecord(settledIn(begun, WINNING))).toMatchObject({ seated: undefined })
})
