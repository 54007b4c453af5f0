import { pairing } from '@affine/blocks'
import { make } from '@affine/envs'
import { describe, expect, it } from 'vitest'
import { ENVS, MULT8, type Scene } from '../../duel/test/subnet.ts'
import { epochFacts, MinerReport, type MinerStats } from '../src/index.ts'
import { historyOf, type TestEpoch } from './history.ts'

/** What the report of a miner says of its duel, for machines. */
interface DuelRecord extends MinerStats<unknown> {
  readonly start: number
  readonly from: number
  readonly to: number
  readonly ending: string
  readonly by: string
}

/** The duel of m1 and m2 in these epochs, for one of them; `from` is the first that is read. */
function duelOf(hotkey: string, scenes: readonly Scene[], forfeited = {}, from = 0) {
  return reportOf(hotkey, historyOf(scenes, forfeited).slice(2 + from))
}

function reportOf(hotkey: string, epochs: readonly Pick<TestEpoch, 'settled' | 'samples'>[]) {
  const told: (readonly [text: string, record: object])[] = []
  const report = new MinerReport(hotkey, { line: (...line) => void told.push(line), all: false })
  for (const { settled, samples } of epochs) {
    for (const [sample, place] of samples) report.stats.add(sample, place)
    report.add(settled)
  }
  report.end(undefined)
  const [text = '', record] = told.find(([, each]) => 'type' in each && each.type === 'duel') ?? []
  expect(record).toBeDefined()
  return { answer: text.split('\n')[0] ?? '', ...(record as DuelRecord) }
}

const answerOf = ({ answer, challenges, won, lost }: ReturnType<typeof duelOf>): string => {
  const counts = ` It won ${won}, lost ${lost} and tied ${challenges - won - lost} of ${challenges} challenges.`
  expect(answer).toContain(counts)
  return answer.replace(counts, '')
}
/** Where v5 is set aside, by epoch. */
const asideIn = (scenes: readonly Scene[]) =>
  historyOf(scenes).map(({ settled }) => {
    const { lanes } = epochFacts(settled)
    return lanes.find(({ validator }) => validator === 'v5')?.setAside.map(({ env }) => env) ?? []
  })
const times = (count: number, scene: Scene): readonly Scene[] => Array(count).fill(scene)

const WINNING: Scene = { rates: [0.75, 0.25] }
const CLOSE: Scene = { rates: [0.3, 0.3] }
const UNSEALED: Scene = { unsealed: ['v1', 'v2', 'v3', 'v4', 'v5'] }
const LOSING: Scene = { rates: [0, 1] }
const FROZEN: Scene = { ...CLOSE, silent: ['v1', 'v2', 'v3', 'v4'] }
const MANY = 'Its endpoint answered 256 of 256.'
const OUTPLAYED = (count: number) =>
  `It lost because it was outplayed in ${count} of 256 challenges, with legal answers: ` +
  'what was better is below.'
const AGAIN = 'It waits for another duel once it commits something else.'

describe('the answer to one of a duel’s two', () => {
  it.each<[answer: string, hotkey: string, scenes: readonly Scene[]]>([
    [`It won: the contender has won 2 of 2 environments, 2 needed. ${MANY}`, 'm2', [WINNING]],
    [
      `${OUTPLAYED(192)} It lost: the contender has won 2 of 2 environments, 2 needed. ${MANY}`,
      'm1',
      [WINNING],
    ],
    [
      `${OUTPLAYED(256)} It lost: the contender has won 0 of 2 environments, 2 needed. ${AGAIN} ${MANY}`,
      'm2',
      [LOSING],
    ],
    [
      `Its duel goes on: the contender has won 0 of 2 environments, 2 needed. ${MANY}`,
      'm2',
      [CLOSE],
    ],
    [
      `It lost: no environment tells the two apart. ${AGAIN} Its endpoint answered 768 of 768.`,
      'm2',
      times(2, { rates: [0, 0] }),
    ],
  ])('%s', (answer, hotkey, scenes) => {
    expect(answerOf(duelOf(hotkey, scenes))).toBe(answer)
  })

  it('has the replies of all epochs, and the forfeits among them', () => {
    const own = duelOf('m2', times(2, CLOSE), { 'no-reply': 64 })
    expect(answerOf(own)).toContain(' Its endpoint answered 0 of 768.')
    const mixed = duelOf('m2', [CLOSE], { 'no-reply': 2, illegal: 3, unreadable: 1 })
    expect(answerOf(mixed)).toContain(
      ' Its endpoint answered 240 of 256. These of its answers were forfeits: ' +
        '8 no answer on the last line (it must be the answer alone), 12 illegal.',
    )
  })

  it('has a champion’s own forfeits, each challenge by itself', () => {
    let silent = 0
    const epochs = historyOf([CLOSE]).slice(2)
    const told = epochs.map(({ settled, samples }) => ({
      settled,
      samples: samples.map(([sample, place]) => {
        if (!('miner' in sample) || sample.miner !== 'm1' || sample.index % 3 > 0)
          return [sample, place] as const
        silent += 1
        const env = make(sample.env)
        env.reset({ options: { challengeId: sample.challengeId } })
        const messages = [{ role: 'user', content: env.render() } as const]
        const silence = { messages, reward: env.spec.lowestReward, fault: 'no-reply' } as const
        return [{ ...sample, ...silence }, place] as const
      }),
    }))
    const { forfeits, challenges } = reportOf('m1', told)
    expect(silent).toBeGreaterThan(0)
    expect(silent).toBeLessThan(challenges)
    expect(forfeits['no-reply']).toBe(silent)
  })

  it('says the cause first', () => {
    const causeOf = (forfeited: Record<string, number>, slowMs = 0): string => {
      const told = historyOf([LOSING], forfeited).slice(2)
      const epochs = told.map(({ settled, samples }) => ({
        settled,
        samples: samples.map(([sample, place]) => {
          const answered = { role: 'assistant', content: '', ms: slowMs } as const
          const isSilent = 'fault' in sample
          return [isSilent ? sample : { ...sample, messages: [answered] }, place] as const
        }),
      }))
      return /^It lost because (.*?)\. It lost: /.exec(reportOf('m2', epochs).answer)?.[1] ?? ''
    }
    expect(causeOf({ 'no-reply': 32 })).toBe(
      'its endpoint never replied: af doctor says what comes instead',
    )
    expect(causeOf({ 'no-reply': 20 })).toMatch(/^it gave no reply in 160 of 256 challenges: /)
    expect(causeOf({ 'no-reply': 20 }, 29_000)).toMatch(/^it was late in 160 of 256 challenges: /)
    expect(causeOf({ 'no-reply': 9 }, 29_000)).toMatch(/^it was outplayed in 184 of 256 challenges/)
    const wrong = duelOf('m2', [LOSING], { unreadable: 30 }).answer
    expect(wrong).toMatch(/^It lost because it gave no legal answer in 240 of 256 challenges: /)
  })

  it('holds no game that was never begun against a miner', () => {
    const tellOf = (games: number): string => {
      const [, , { settled, samples }] = historyOf([CLOSE]) as [unknown, unknown, TestEpoch]
      const none = { messages: [], fault: 'no-reply' } as const
      const pair = pairing()
      const pairs = samples.flatMap(([sample]) => pair(sample) ?? [])
      const ties = pairs.filter(({ champion, contender }) => champion.reward === contender.reward)
      const ids = ties.slice(0, games).map(({ challengeId }) => challengeId)
      const all = samples.map(([sample, place]) => {
        const isNone = ids.includes(sample.challengeId)
        return [isNone ? { ...sample, ...none } : sample, place] as const
      })
      return answerOf(reportOf('m2', [{ settled, samples: all }])).replace(/^.*needed\. /, '')
    }
    const free = 'never begun: ties, which cost nobody anything.'
    expect(tellOf(1)).toBe(`Its endpoint answered 255 of 255. 1 game was ${free}`)
    expect(tellOf(3)).toBe(`Its endpoint answered 253 of 253. 3 games were ${free}`)
  })

  it('says when its epochs are over, and when not all of them were read', () => {
    const scenes = [CLOSE, ...times(3, FROZEN), ...times(4, { rates: [0.0375, 0.03] })]
    const own = duelOf('m2', scenes)
    expect([own.ending, own.by]).toEqual(['lost', 'length'])
    expect(answerOf(own)).toBe(
      'It lost because it did not win by enough: 536 of 976 may be luck. ' +
        'It lost: the contender has won 0 of 2 environments, 2 needed, when the 8 epochs were ' +
        `over. ${AGAIN} Its endpoint answered 12544 of 12544.`,
    )
    const unsure = duelOf('m2', [{ rates: [0.1, 0.02] }, ...times(7, UNSEALED)], {
      illegal: 1,
    })
    expect(unsure.by).toBe('length')
    expect(unsure.answer).toMatch(
      /^It lost because too few challenges counted to be sure: it won 24 of 32\. /,
    )
    expect([own.from, own.to]).toEqual([2, 9])
    const late = duelOf('m2', scenes, {}, 6)
    expect([late.start, late.from, late.to]).toEqual([2, 8, 9])
  })

  it('says when it ended frozen', () => {
    const scenes = [CLOSE, ...times(4, FROZEN)]
    const lost = '2 needed, when too few validators attested in four of its epochs.'
    const contender = `It lost: the contender has won 0 of 2 environments, ${lost}`
    expect(answerOf(duelOf('m2', scenes))).toBe(`${contender} ${AGAIN} ${MANY}`)
    const champion = `It won: the contender has won 0 of 2 environments, ${lost} ${MANY}`
    expect(answerOf(duelOf('m1', scenes))).toBe(champion)
  })

  it('leaves out a win that was taken back', () => {
    const early: Scene = {
      rates: (_, env) => (env === MULT8 ? [22 / 32, 10 / 32] : [1 / 64, 1 / 64]),
    }
    const own = (epochs: number) => answerOf(duelOf('m2', times(epochs, early)))
    expect(own(2)).toContain('goes on: the contender has won 1 of 2 environments, 2 needed.')
    expect(own(3)).toContain('goes on: the contender has won 0 of 1 environments, 1 needed; 1 more')
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
    expect(asideIn(scenes).slice(2)).toEqual([[], [...ENVS]])
    expect(own.challenges).toBe((32 + 64) * 4 * ENVS.length)
    expect(own.envs[MULT8]?.challenges).toBe((32 + 64) * 4)
  })

  it('counts a lane again that comes back', () => {
    const validators = ['v1', 'v2', 'v3', 'v4', 'v5']
    const scenes = [1, 0.3, 0.3, 0.3].map(
      (wins): Scene => ({
        validators,
        rates: (validator) => (validator === 'v5' && wins === 1 ? [1, 0] : [0.2, 0.2]),
      }),
    )
    const aside = asideIn(scenes)
    expect([aside[2], aside[5]]).toEqual([[...ENVS], []])
    expect(duelOf('m2', scenes).challenges).toBe((32 + 64 + 128 + 256) * 5 * ENVS.length)
  })
})
