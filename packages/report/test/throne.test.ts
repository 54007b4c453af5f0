import { decide, firstState, type State } from '@affine/duel'
import { expect, it } from 'vitest'
import { epochOf, MAIN, MULT8, miner, type Scene } from '../../duel/test/subnet.ts'
import { epochFacts, epochRecord, epochText } from '../src/index.ts'

const settledIn = (before: State, scene: Scene) => {
  const facts = epochOf(before, scene)
  return { before, snapshot: facts.snapshot, lanes: new Map(), ...decide(before, facts) }
}
const first = firstState(MAIN, 0)
const begun = settledIn(first, {})
const WINNING: Scene = { rates: [0.75, 0.25] }
const CLOSE: Scene = { rates: [0.3, 0.3] }
const LOSING: Scene = { rates: [0, 1] }
const M3 = miner('m3', 3)
const DETHRONES =
  '  ★ m2 dethrones m1: the contender has won 2 of 2 environments, 2 needed. The ratio to beat becomes '

/** The lines about the throne, once the epoch of `before` has ended like this. */
const toldOf = (before: State, scene: Scene): readonly string[] =>
  epochText(epochFacts(settledIn(before, scene)), (hotkey) => hotkey)
    .split('\n')
    .slice(1)
    .filter((line) => /throne|fails|left/.test(line))

it.each<[what: string, scene: Scene, told: readonly string[]]>([
  ['a win', WINNING, [DETHRONES]],
  [
    'no win',
    LOSING,
    ['  m1 keeps the throne, m2 fails: the contender has won 0 of 2 environments, 2 needed'],
  ],
  ['neither yet', CLOSE, []],
  [
    'the champion’s leaving',
    { ...CLOSE, miners: [miner('m2', 2)] },
    ['  m2 gets the throne, because m1 has left. The ratio to beat becomes 51 %'],
  ],
  ['a win after which the champion leaves', { ...WINNING, miners: [miner('m2', 2)] }, [DETHRONES]],
  [
    'a win of who has left',
    { ...WINNING, miners: [miner('m1'), M3] },
    [
      '  m2 wins, but has left',
      '  m3 takes the empty throne without a duel. The ratio to beat becomes 51 %',
    ],
  ],
  [
    'a champion that holds, and leaves',
    { ...LOSING, miners: [M3] },
    [
      '  m2 fails, but m1 has left',
      '  m3 takes the empty throne without a duel. The ratio to beat becomes 51 %',
    ],
  ],
  [
    'both leaving',
    { ...CLOSE, miners: [] },
    ['  m2 fails, but m1 has left', '  the throne is empty'],
  ],
])('what becomes of the throne is told as it was: %s', (_, scene, told) => {
  const lines = toldOf(begun.state, scene)
  expect(lines).toHaveLength(told.length)
  for (const [i, line] of told.entries()) expect(lines[i]).toContain(line)
})

it('a copy fails because nothing tells it apart from the champion', () => {
  let state = begun.state
  const copy: Scene = { rates: [0, 0] }
  while (settledIn(state, copy).report.outcome === undefined) state = settledIn(state, copy).state
  expect(toldOf(state, copy)).toEqual([
    '  m1 keeps the throne, m2 fails: no environment tells the two apart',
  ])
})

it('a win that was taken back is none when the champion leaves', () => {
  const early: Scene = { rates: (_, env) => (env === MULT8 ? [22 / 32, 10 / 32] : [0, 0]) }
  const won = settledIn(settledIn(begun.state, early).state, early).state
  expect(won.duel?.verdicts).toEqual({ [MULT8]: 'win' })
  expect(toldOf(won, { ...early, miners: [miner('m2', 2)] })).toEqual([
    '  m2 gets the throne, because m1 has left. The ratio to beat becomes 51 %',
  ])
})

it('a seat taken without a duel says so, for people and for machines', () => {
  const taken = '  m1 takes the empty throne without a duel. The ratio to beat becomes 51 %'
  expect(toldOf(first, {})).toEqual([taken])
  expect(epochRecord(begun)).toMatchObject({ crowned: 'm1' })
  expect(epochRecord(settledIn(begun.state, WINNING))).toMatchObject({ crowned: undefined })

  const alone = settledIn(first, { miners: [miner('m1')] }).state
  expect(toldOf(alone, { miners: [M3] })).toEqual([taken.replace('m1', 'm3')])
  const anew = miner('m1', 9, 'new')
  expect(toldOf(alone, { miners: [anew] })).toEqual([taken])
  expect(toldOf(alone, { miners: [] })).toEqual(['  the throne is empty'])
  expect(toldOf(first, { miners: [] })).toEqual([])
})
