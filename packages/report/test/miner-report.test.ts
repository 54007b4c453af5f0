import { describe, expect, it } from 'vitest'
import { ENVS, MULT8, type Scene } from '../../duel/test/subnet.ts'
import {
  describeEpoch,
  type LossCause,
  MinerReport,
  type MinerStats,
  shortenHotkey,
  stripTones,
} from '../src/index.ts'
import { historyOf, type TestEpoch } from './history.ts'

/** The record of a miner's duel. */
interface DuelRecord extends MinerStats<unknown> {
  readonly wins: number
  readonly counted: number
  readonly needed: number
  readonly cause: LossCause | undefined
  readonly start: number
  readonly from: number
  readonly to: number
  readonly ending: string
  readonly by: string
}

/** Reports the duel of m1 and m2 for `hotkey`. `from`: first epoch of the duel that is read. */
function duelOf(hotkey: string, scenes: readonly Scene[], forfeited = {}, from = 0) {
  return reportOf(hotkey, historyOf(scenes, forfeited).slice(2 + from))
}

function reportOf(hotkey: string, epochs: readonly Pick<TestEpoch, 'settled' | 'samples'>[]) {
  const outputs: (readonly [text: string, record: object])[] = []
  const report = new MinerReport({
    hotkey,
    line: (lines, record) => void outputs.push([stripTones(lines), record]),
    verbose: false,
    nameOf: shortenHotkey,
  })
  for (const { settled, samples } of epochs) {
    for (const [sample, place] of samples) report.stats.add(sample, place)
    report.add(settled)
  }
  report.end(undefined)
  const [text = '', record] =
    outputs.find(([, each]) => 'type' in each && each.type === 'duel') ?? []
  expect(record).toBeDefined()
  return { text: text.trim(), ...(record as DuelRecord) }
}

const countsIn = ({ challenges, won, lost, answered }: DuelRecord) => {
  return { challenges, won, lost, answered }
}
/** Returns the result, the environments won, and the cause of a loss. */
const resultIn = ({ ending, by, wins, counted, cause }: DuelRecord) => [
  ending,
  by,
  `${wins}/${counted}`,
  cause,
]

/** The environments in which v5 is set aside, by epoch. */
const asideIn = (scenes: readonly Scene[]) =>
  historyOf(scenes).map(({ settled }) => {
    const { lanes } = describeEpoch(settled)
    return lanes.find(({ validator }) => validator === 'v5')?.setAside.map(({ env }) => env) ?? []
  })
const times = (count: number, scene: Scene): readonly Scene[] => Array(count).fill(scene)

const WINNING: Scene = { rates: [0.75, 0.25] }
const CLOSE: Scene = { rates: [0.3, 0.3] }
const UNSEALED: Scene = { unsealed: ['v1', 'v2', 'v3', 'v4', 'v5'] }
const LOSING: Scene = { rates: [0, 1] }
const FROZEN: Scene = { ...CLOSE, silent: ['v1', 'v2', 'v3', 'v4'] }
const LENGTHY = [CLOSE, ...times(3, FROZEN), ...times(4, { rates: [0.0375, 0.03] })]
const TAKEN_BACK: Scene = {
  rates: (_, env) => (env === MULT8 ? [22 / 32, 10 / 32] : [1 / 64, 1 / 64]),
}

interface Case {
  readonly what: string
  readonly hotkey?: string
  readonly scenes: readonly Scene[]
  readonly forfeited?: Record<string, number>
  readonly result: readonly unknown[]
}

const CASES: readonly Case[] = [
  { what: 'a contender that won', scenes: [WINNING], result: ['won', 'crowned', '2/2', undefined] },
  {
    what: 'a champion that lost',
    hotkey: 'm1',
    scenes: [WINNING],
    result: ['lost', 'crowned', '2/2', 'OUTPLAYED'],
  },
  {
    what: 'a contender that lost',
    scenes: [LOSING],
    result: ['lost', 'verdicts', '0/2', 'OUTPLAYED'],
  },
  { what: 'a duel that continues', scenes: [CLOSE], result: ['open', undefined, '0/2', undefined] },
  {
    what: 'no decisive challenge',
    scenes: times(2, { rates: [0, 0] }),
    result: ['lost', 'verdicts', '0/0', undefined],
  },
  {
    what: 'no reply at all',
    scenes: [LOSING],
    forfeited: { 'no-reply': 32 },
    result: ['lost', 'verdicts', '0/2', 'SILENT'],
  },
  {
    what: 'no legal answer',
    scenes: [LOSING],
    forfeited: { unreadable: 30 },
    result: ['lost', 'verdicts', '0/2', 'WRONG'],
  },
  { what: 'its epochs are over', scenes: LENGTHY, result: ['lost', 'length', '0/2', 'NARROW'] },
  {
    what: 'too few challenges count',
    scenes: [{ rates: [0.1, 0.02] }, ...times(7, UNSEALED)],
    forfeited: { illegal: 1 },
    result: ['lost', 'length', '0/2', 'UNSURE'],
  },
  {
    what: 'it ended frozen',
    scenes: [CLOSE, ...times(4, FROZEN)],
    result: ['lost', 'freezing', '0/2', undefined],
  },
  {
    what: 'it ended frozen, for the champion',
    hotkey: 'm1',
    scenes: [CLOSE, ...times(4, FROZEN)],
    result: ['won', 'freezing', '0/2', undefined],
  },
  {
    what: 'a win',
    scenes: times(2, TAKEN_BACK),
    result: ['open', undefined, '1/2', undefined],
  },
  {
    what: 'a win that was taken back',
    scenes: times(3, TAKEN_BACK),
    result: ['open', undefined, '0/1', undefined],
  },
]

describe('the report for one side of a duel', () => {
  it.each(CASES)('has a result and a cause: $what', ({ hotkey = 'm2', result, ...asked }) => {
    expect(resultIn(duelOf(hotkey, asked.scenes, asked.forfeited))).toEqual(result)
  })

  it('formats each case', async () => {
    const texts = CASES.map(({ what, hotkey = 'm2', scenes, forfeited }) => {
      return `## ${what}\n${duelOf(hotkey, scenes, forfeited).text}\n`
    })
    await expect(texts.join('\n')).toMatchFileSnapshot('snapshots/explain.txt')
  })

  it('counts the replies and forfeits of all epochs', () => {
    const own = duelOf('m2', times(2, CLOSE), { 'no-reply': 64 })
    expect(countsIn(own)).toMatchObject({ challenges: 768, answered: 0 })
    const mixed = duelOf('m2', [CLOSE], { 'no-reply': 2, illegal: 3, unreadable: 1 })
    expect([mixed.answered, mixed.forfeits]).toEqual([
      240,
      { 'no-reply': 16, illegal: 12, unreadable: 8 },
    ])
  })

  it('names the main cause: no replies, late replies or wrong answers', () => {
    const causeOf = (forfeited: Record<string, number>, slowMs = 0) => {
      const history = historyOf([LOSING], forfeited).slice(2)
      const epochs = history.map(({ settled, samples }) => ({
        settled,
        samples: samples.map(([sample, place]) => {
          const answered = { role: 'assistant', content: '', ms: slowMs } as const
          const isSilent = 'fault' in sample
          return [isSilent ? sample : { ...sample, messages: [answered] }, place] as const
        }),
      }))
      return reportOf('m2', epochs).cause
    }
    expect(causeOf({ 'no-reply': 32 })).toBe('SILENT')
    expect(causeOf({ 'no-reply': 20 })).toBe('UNANSWERED')
    expect(causeOf({ 'no-reply': 20 }, 29_000)).toBe('LATE')
    expect(causeOf({ 'no-reply': 9 }, 29_000)).toBe('OUTPLAYED')
  })

  it('does not count a lane that is set aside, in any epoch', () => {
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
})
