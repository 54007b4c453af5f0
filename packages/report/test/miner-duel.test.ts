import { describe, expect, it } from 'vitest'
import { ENVS, MULT8, miner, type Scene } from '../../duel/test/subnet.ts'
import { answerText, DuelStats, type MinerDuel, minerDuel, resultFor } from '../src/index.ts'
import { historyOf, type TestEpoch } from './history.ts'

/** The duel of m1 and m2 in these epochs, for one of them; `from` is the first that is read. */
function duelOf(hotkey: string, scenes: readonly Scene[], forfeited = {}, from = 0) {
  const stats = new DuelStats({ hotkey, most: 3, keep: () => ({}) })
  let own: MinerDuel<object> | undefined
  for (const { settled, samples } of historyOf(scenes, forfeited).slice(1 + from)) {
    for (const [sample, place] of samples) stats.add(sample, place)
    stats.finish(settled)
    own = minerDuel(own, settled, { hotkey, stats })
  }
  expect(own).toBeDefined()
  return own as MinerDuel<object>
}

const answerOf = (own: MinerDuel<object>): string => answerText(own, 'you')
const times = (count: number, scene: Scene): readonly Scene[] => Array(count).fill(scene)

const WINNING: Scene = { rates: [0.75, 0.25] }
const CLOSE: Scene = { rates: [0.3, 0.3] }
const LOSING: Scene = { rates: [0, 1] }
const FROZEN: Scene = { ...CLOSE, silent: ['v1', 'v2', 'v3', 'v4'] }
const MANY = 'Your endpoint answered 256 of 256.'

describe('the answer to one of a duel’s two', () => {
  it.each<[answer: string, hotkey: string, scenes: readonly Scene[]]>([
    [`You won: 2 of 2 environments, 2 needed. ${MANY}`, 'm2', [WINNING]],
    [`You lost: the contender has 2 of 2 environments, 2 needed. ${MANY}`, 'm1', [WINNING]],
    [`You lost: 0 of 2 environments, 2 needed. ${MANY}`, 'm2', [LOSING]],
    [`Your duel goes on: 0 of 2 environments, 2 needed. ${MANY}`, 'm2', [CLOSE]],
    [
      `You won, because the other miner left: 0 of 2 environments, 2 needed. ${MANY}`,
      'm2',
      [{ ...CLOSE, miners: [miner('m2', 2)] }],
    ],
    [
      'You lost, because you left (a new commitment, or not registered): ' +
        `the contender has 0 of 2 environments, 2 needed. ${MANY}`,
      'm1',
      [{ ...CLOSE, miners: [miner('m1', 9, 'new'), miner('m2', 2)] }],
    ],
    [
      'You lost: no environment tells the two apart. Your endpoint answered 1792 of 1792.',
      'm2',
      times(3, { rates: [0, 0] }),
    ],
  ])('%s', (answer, hotkey, scenes) => {
    expect(answerOf(duelOf(hotkey, scenes))).toBe(answer)
  })

  it('tells a stranger about it', () => {
    const told = answerText(duelOf('m1', [WINNING]), 'it')
    expect(told).toBe(
      'It lost: the contender has 2 of 2 environments, 2 needed. ' +
        'Its endpoint answered 256 of 256.',
    )
  })

  it('has the replies of all epochs, and the forfeits among them', () => {
    const own = duelOf('m2', times(2, CLOSE), { 'no-reply': 64 })
    expect(answerOf(own)).toContain(' Your endpoint answered 0 of 768.')
    const mixed = duelOf('m2', [CLOSE], { 'no-reply': 2, illegal: 3, unreadable: 1 })
    expect(answerOf(mixed)).toContain(
      ' Your endpoint answered 240 of 256. These of its answers were forfeits: ' +
        '8 no answer on the last line, 12 illegal.',
    )
  })

  it('holds no game that was never begun against a miner', () => {
    const tellOf = (games: number): string => {
      const stats = new DuelStats({ hotkey: 'm2', most: 3, keep: () => ({}) })
      const [, { settled, samples }] = historyOf([CLOSE]) as [unknown, TestEpoch]
      const none = { messages: [], fault: 'no-reply' } as const
      const ties = samples.filter(([{ verdict }]) => verdict === 'tie').slice(0, games)
      for (const each of samples) {
        const [sample, place] = each
        const champion = { ...sample.champion, ...none }
        const contender = { ...sample.contender, ...none }
        stats.add(ties.includes(each) ? { ...sample, champion, contender } : sample, place)
      }
      stats.finish(settled)
      const own = minerDuel(undefined, settled, { hotkey: 'm2', stats }) as MinerDuel<object>
      return answerOf(own).replace(/^.*needed\. /, '')
    }
    const free = 'never begun: ties, which cost nobody anything.'
    expect(tellOf(1)).toBe(`Your endpoint answered 255 of 255. 1 game was ${free}`)
    expect(tellOf(3)).toBe(`Your endpoint answered 253 of 253. 3 games were ${free}`)
  })

  it('says when its epochs are over, and when not all of them were read', () => {
    const scenes = [CLOSE, ...times(3, FROZEN), ...times(4, { rates: [0.03, 0.03] })]
    const own = duelOf('m2', scenes)
    expect([resultFor('contender', own.duel), own.duel.end?.by]).toEqual(['lost', 'length'])
    expect(answerOf(own)).toBe(
      'You lost: 0 of 2 environments, 2 needed, when the 8 epochs were over. ' +
        'Your endpoint answered 12544 of 12544.',
    )
    expect([own.from, own.to]).toEqual([1, 8])
    const late = duelOf('m2', scenes, {}, 6)
    expect([late.duel.start, late.from, late.to]).toEqual([1, 7, 8])
  })

  it('says when it ended frozen, and that the contender waits again', () => {
    const scenes = [CLOSE, ...times(4, FROZEN)]
    const lost = '2 needed, when too few validators attested in four of its epochs.'
    const contender = `You lost: 0 of 2 environments, ${lost}`
    const again = 'Your commitment waits again: keep it.'
    expect(answerOf(duelOf('m2', scenes))).toBe(`${contender} ${again} ${MANY}`)
    const champion = `You won: the contender has 0 of 2 environments, ${lost} ${MANY}`
    expect(answerOf(duelOf('m1', scenes))).toBe(champion)
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
    const aside = historyOf(scenes).map(({ settled }) => settled.report.lanes.v5?.setAside)
    expect(aside.slice(1)).toEqual([[], [...ENVS]])
    expect(own.stats.challenges).toBe((32 + 64) * 4 * ENVS.length)
    expect(own.stats.envs[MULT8]?.challenges).toBe((32 + 64) * 4)
  })

  it('counts a lane again that comes back', () => {
    const validators = ['v1', 'v2', 'v3', 'v4', 'v5']
    const scenes = [1, 0.3, 0.3, 0.3].map(
      (wins): Scene => ({
        validators,
        rates: (validator) => (validator === 'v5' && wins === 1 ? [1, 0] : [0.2, 0.2]),
      }),
    )
    const aside = historyOf(scenes).map(({ settled }) => settled.report.lanes.v5?.setAside)
    expect([aside[1], aside[4]]).toEqual([[...ENVS], []])
    expect(duelOf('m2', scenes).stats.challenges).toBe((32 + 64 + 128 + 256) * 5 * ENVS.length)
  })
})
