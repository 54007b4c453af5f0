import { firstState, type State, settle } from '@affine/duel'
import type { Recomputed } from '@affine/settlement'
import { describe, expect, it } from 'vitest'
import {
  ENVS,
  epochOf,
  MAIN,
  MULT8,
  miner,
  type Scene,
} from '../../../packages/duel/test/subnet.ts'
import { type OwnDuel, resultOf, withTurn } from '../src/commands/views/own-duel.ts'
import { answerText } from '../src/commands/views/own-duel-text.ts'

function settledIn(before: State, scene: Scene): Recomputed {
  const { snapshot, ...facts } = epochOf(before, scene)
  const settled = settle(before, { ...facts, snapshot })
  const found = { flaws: [], remarks: [], votes: undefined, lanes: new Map() }
  return { epoch: before.epoch, before, snapshot, ...settled, ...found }
}

/** What a miner did in every lane: as many challenges as were played, and so many forfeits. */
function deedsIn({ report }: Recomputed, forfeits: Record<string, number>) {
  return Object.entries(report.lanes)
    .filter(([, { accepted }]) => accepted)
    .flatMap(([validator]) =>
      ENVS.map((env) => ({ validator, env, challenges: 32, forfeits, lost: [] })),
    )
}

/** The duel of m1 and m2 in these epochs, for one of them; `from` is the first that is read. */
function duelOf(hotkey: string, scenes: readonly Scene[], forfeits = {}, from = 0): OwnDuel {
  const { miners: _, ...first } = scenes[0] ?? {}
  let { state } = settledIn(firstState(MAIN, 0), first)
  let own: OwnDuel | undefined
  for (const [i, scene] of scenes.entries()) {
    const settled = settledIn(state, scene)
    if (i >= from) own = withTurn(own, hotkey, { settled, deeds: deedsIn(settled, forfeits) })
    state = settled.state
  }
  expect(own).toBeDefined()
  return own as OwnDuel
}

const answerOf = (own: OwnDuel): string => answerText(own, resultOf(own)).split('\n')[0] ?? ''
const times = (count: number, scene: Scene): readonly Scene[] => Array(count).fill(scene)

const WINNING: Scene = { rates: [0.75, 0.25] }
const CLOSE: Scene = { rates: [0.3, 0.3] }
const LOSING: Scene = { rates: [0, 1] }
const MANY = 'Your endpoint answered 256 of 256.'

describe('the answer to one of a duel’s two', () => {
  it.each<[answer: string, hotkey: string, scenes: readonly Scene[]]>([
    [`You won: 2 of 2 environments, 2 needed. ${MANY}`, 'm2', [WINNING]],
    [`You lost: the contender has 2 of 2 environments, 2 needed. ${MANY}`, 'm1', [WINNING]],
    [`You lost: 0 of 2 environments, 2 needed. ${MANY}`, 'm2', [LOSING]],
    [`Your duel goes on: 0 of 2 environments, 2 needed. ${MANY}`, 'm2', [CLOSE]],
    [
      `You won, as the other one left: 0 of 2 environments, 2 needed. ${MANY}`,
      'm2',
      [{ ...CLOSE, miners: [miner('m2', 2)] }],
    ],
    [
      'You lost, as you left (another commitment, or no registration): ' +
        `the contender has 0 of 2 environments, 2 needed. ${MANY}`,
      'm1',
      [{ ...CLOSE, miners: [miner('m1', 9, 'new'), miner('m2', 2)] }],
    ],
    [
      'You lost: no environment tells the two apart. Your endpoint answered 768 of 768.',
      'm2',
      times(3, { rates: [0, 0] }),
    ],
  ])('%s', (answer, hotkey, scenes) => {
    expect(answerOf(duelOf(hotkey, scenes))).toBe(answer)
  })

  it('has the replies of all epochs, and the forfeits among them', () => {
    const own = duelOf('m2', times(2, CLOSE), { 'no-reply': 32 })
    expect(answerOf(own)).toContain(' Your endpoint answered 0 of 512.')
    const mixed = duelOf('m2', [CLOSE], { 'no-reply': 2, illegal: 3, unreadable: 1 })
    expect(answerOf(mixed)).toContain(
      ' Your endpoint answered 240 of 256. Of its answers these were forfeits: ' +
        '24 illegal, 8 no answer on the last line.',
    )
  })

  it('says when its epochs are over, and when not all of them were read', () => {
    const silent = ['v1', 'v2', 'v3', 'v4']
    const scenes = [CLOSE, ...times(MAIN.duelEpochs - 1, { ...CLOSE, silent })]
    const own = duelOf('m2', scenes)
    expect(resultOf(own)).toMatchObject({ ending: 'lost', by: 'length' })
    expect(answerOf(own)).toBe(
      `You lost: 0 of 2 environments, 2 needed, when its 8 epochs were over. ${MANY}`,
    )
    const late = duelOf('m2', scenes, {}, 6)
    expect(answerText(late, resultOf(late)).split('\n').slice(1)).toEqual([
      '  contender, against m1, epochs 7 to 8',
      '  it began in epoch 1: replies before are counted with a larger --last',
    ])
  })

  it('leaves out a win that was taken back', () => {
    const early: Scene = { rates: (_, env) => (env === MULT8 ? [22 / 32, 10 / 32] : [0, 0]) }
    const own = (epochs: number) => answerOf(duelOf('m2', times(epochs, early)))
    expect(own(2)).toContain('goes on: 1 of 2 environments, 2 needed.')
    expect(own(3)).toContain('goes on: 0 of 1 environments, 1 needed.')
  })

  it('counts no lane that is set aside, whichever epoch it is of', () => {
    const validators = ['v1', 'v2', 'v3', 'v4', 'v5']
    const lying =
      (from: number) =>
      (turn: number): Scene => ({
        validators,
        rates: (validator) => (validator === 'v5' && turn >= from ? [1, 0] : [0.3, 0.3]),
      })
    const scenes = [0, 1].map(lying(1))
    const own = duelOf('m2', scenes)
    const [first, second] = own.turns.map(({ settled }) => settled.report.lanes.v5?.setAside)
    expect([first, second]).toEqual([[], [...ENVS]])
    expect(resultOf(own).challenges).toBe(2 * 4 * ENVS.length * 32)
  })
})
