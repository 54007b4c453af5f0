import { describe, expect, it } from 'vitest'
import { ENVS, MULT8, type Scene } from '../../duel/test/subnet.ts'
import {
  type DuelFacts,
  describeEpoch,
  explainUncounted,
  type LossCause,
  MinerReport,
  type MinerStats,
  shortenHotkey,
  stripTones,
} from '../src/index.ts'
import { type Forfeited, historyOf, type TestEpoch } from './history.ts'

/** The record of a miner's duel. */
interface DuelRecord extends MinerStats<unknown>, Pick<DuelFacts, 'wins' | 'counted'> {
  readonly cause: LossCause | undefined
  readonly ending: string
  readonly by: string
}

/** Reports the duel of m1 and m2 for `hotkey`. */
const duelOf = (hotkey: string, scenes: readonly Scene[], forfeited: Forfeited = {}) =>
  reportOf(hotkey, historyOf(scenes, forfeited).slice(2))

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
  const [text, record] = outputs.find(([, each]) => 'type' in each && each.type === 'duel') ?? []
  if (text === undefined) throw new Error('no duel is reported')
  return { text: text.trim(), ...(record as DuelRecord) }
}

const times = (count: number, scene: Scene): readonly Scene[] => Array(count).fill(scene)

const WINNING: Scene = { rates: [0.75, 0.25] }
const CLOSE: Scene = { rates: [0.3, 0.3] }
const ALL = ['v1', 'v2', 'v3', 'v4', 'v5']
const UNSEALED: Scene = { unsealed: ALL }
const LOSING: Scene = { rates: [0, 1] }
const FROZEN: Scene = { ...CLOSE, silent: ['v1', 'v2', 'v3', 'v4'] }
const LENGTHY = [CLOSE, ...times(3, FROZEN), ...times(4, { rates: [0.0375, 0.03] })]
const UNSURE = [{ rates: [0.1, 0.02] } as const, ...times(7, UNSEALED)]
const TAKEN_BACK: Scene = {
  rates: (_, env) => (env === MULT8 ? [22 / 32, 10 / 32] : [1 / 64, 1 / 64]),
}

/**
 * Cases: a name; the expected result, end, environments won and counted, and cause of a loss; the
 * miner; the scenes; and the forfeits.
 */
const CASES: readonly (readonly [string, string, string, readonly Scene[], Forfeited?])[] = [
  ['a contender that won', 'won crowned 2/2', 'm2', [WINNING]],
  ['a champion that lost', 'lost crowned 2/2 OUTPLAYED', 'm1', [WINNING]],
  ['a contender that lost', 'lost verdicts 0/2 OUTPLAYED', 'm2', [LOSING]],
  ['a duel that continues', 'open 0/2', 'm2', [CLOSE]],
  ['no decisive challenge', 'lost verdicts 0/0', 'm2', times(2, { rates: [0, 0] })],
  ['no reply at all', 'lost verdicts 0/2 SILENT', 'm2', [LOSING], { 'no-reply': 32 }],
  ['no legal answer', 'lost verdicts 0/2 WRONG', 'm2', [LOSING], { unreadable: 30 }],
  ['its epochs are over', 'lost length 0/2 NARROW', 'm2', LENGTHY],
  ['too few challenges count', 'lost length 0/2 UNSURE', 'm2', UNSURE, { illegal: 1 }],
  ['it ended frozen', 'lost freezing 0/2', 'm2', [CLOSE, ...times(4, FROZEN)]],
  ['it ended frozen, for the champion', 'won freezing 0/2', 'm1', [CLOSE, ...times(4, FROZEN)]],
  ['a win', 'open 1/2', 'm2', times(2, TAKEN_BACK)],
  ['a win that was taken back', 'open 0/1', 'm2', times(3, TAKEN_BACK)],
]

describe('the report for one side of a duel', () => {
  it('has a result, a cause and a text', async () => {
    const texts = CASES.map(([what, want, hotkey, scenes, forfeited]) => {
      const { text, ending, by, wins, counted, cause } = duelOf(hotkey, scenes, forfeited)
      const result = [ending, by, `${wins}/${counted}`, cause].filter(Boolean)
      expect(result.join(' '), what).toBe(want)
      return `## ${what}\n${text}\n`
    })
    await expect(texts.join('\n')).toMatchFileSnapshot('snapshots/explain.txt')
  })

  it('counts the replies and forfeits of all epochs', () => {
    const own = duelOf('m2', times(2, CLOSE), { 'no-reply': 64 })
    expect(own).toMatchObject({ challenges: 768, answered: 0 })
    const mixed = duelOf('m2', [CLOSE], { 'no-reply': 2, illegal: 3, unreadable: 1 })
    expect(mixed.answered).toBe(240)
    expect(mixed.forfeits).toEqual({ 'no-reply': 16, illegal: 12, unreadable: 8 })
  })

  it('names the main cause: no replies, late replies or worse answers', () => {
    const causeOf = (forfeited: Forfeited, slowMs = 0) => {
      const answered = { role: 'assistant', content: '', ms: slowMs } as const
      const epochs = historyOf([LOSING], forfeited).slice(2)
      const slowed = epochs.map(({ settled, samples }) => ({
        settled,
        samples: samples.map(([sample, place]) => {
          return ['fault' in sample ? sample : { ...sample, messages: [answered] }, place] as const
        }),
      }))
      return reportOf('m2', slowed).cause
    }
    expect(causeOf({ 'no-reply': 32 })).toBe('SILENT')
    expect(causeOf({ 'no-reply': 20 })).toBe('UNANSWERED')
    expect(causeOf({ 'no-reply': 20 }, 29_000)).toBe('LATE')
    expect(causeOf({ 'no-reply': 9 }, 29_000)).toBe('OUTPLAYED')
  })

  it('does not count a lane that is set aside, in any epoch', () => {
    const scenes = [0, 1].map(
      (turn): Scene => ({
        validators: ALL,
        rates: (validator) => (validator === 'v5' && turn === 1 ? [1, 0] : [0.3, 0.3]),
      }),
    )
    const epochs = historyOf(scenes).slice(2)
    const lanes = epochs.map(({ settled }) => describeEpoch(settled).lanes.at(-1))
    expect(lanes.map((lane) => lane?.setAside.map(({ env }) => env))).toEqual([[], [...ENVS]])
    const own = reportOf('m2', epochs)
    expect(own.challenges).toBe((32 + 64) * 4 * ENVS.length)
    expect(own.envs[MULT8]?.challenges).toBe((32 + 64) * 4)
  })
})

it('returns the reason that a sample does not count', () => {
  /** Returns, by validator, whether samples of the third epoch count, or why not; each text once. */
  const usesIn = (scene: Scene): ReadonlySet<string> => {
    const { settled, samples } = historyOf([scene])[2] as TestEpoch
    const uses = samples.map(([sample, place]) => {
      return `${place.validator} ${explainUncounted(settled, sample, place) ?? 'counts'}`
    })
    return new Set(uses)
  }
  // v5 invents its samples.
  const lying: Scene = {
    validators: ALL,
    rates: (validator) => (validator === 'v5' ? [1, 0] : [0.2, 0.2]),
  }
  const honest = ['v1 counts', 'v2 counts', 'v3 counts', 'v4 counts']
  expect(usesIn(lying)).toEqual(new Set([...honest, 'v5 SET_ASIDE']))
  const frozen = usesIn({ ...lying, silent: ['v1', 'v2', 'v3'] })
  for (const use of frozen) expect(use.slice(3)).toBe('FROZEN')
})
