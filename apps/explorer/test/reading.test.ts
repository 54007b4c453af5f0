import type { VNode } from 'preact'
import { describe, expect, it, test } from 'vitest'
import { type AppState, EMPTY_STATE } from '../src/app-state.ts'
import type { Page } from '../src/page.ts'
import { describeEpoch, explainAbsence, readingState } from '../src/page.ts'
import { ContenderView } from '../src/views/contender-view.tsx'
import { MinersView, MinerView } from '../src/views/miners-view.tsx'
import { Since, SureNumber, ToBeat } from '../src/views/race-view.tsx'
import { ReadingStrip } from '../src/views/reading-strip.tsx'
import { BucketTable, ValidatorsView } from '../src/views/validators-view.tsx'
import type { BucketHealth } from '../src/worker/buckets.ts'
import type { EpochAccount } from '../src/worker/epoch-accounts.ts'
import type { ReadingSpan } from '../src/worker/reader.ts'

const hotkey = `5${'A'.repeat(47)}`
const known = { flaws: [], warnings: [], lanes: [], duels: [], trust: {} }
const epoch = { epoch: 3, heir: { hotkey }, nextRatio: 510_000, ...known } as never as EpochAccount
const READING: AppState = {
  ...EMPTY_STATE,
  file: { chain: 'finney', names: { [hotkey]: 'alice' } },
  beginning: {} as unknown as ReadingSpan,
  epochs: [epoch],
}
const STOPPED: AppState = { ...READING, failure: 'no bucket answers' }
const ENDED: AppState = { ...READING, ms: 7 }
const NONE = 'Everything held.'
const CUT_SHORT = 'Reading stopped early.'

describe('a reading', () => {
  test.each([
    ['that goes on', READING, 'reading', 'Reading…', ' as of epoch 4'],
    ['that stopped', STOPPED, 'stopped', CUT_SHORT, ' as of epoch 4'],
    ['that has ended', ENDED, 'ended', NONE, ''],
  ])('%s shows only known results', (_, state, progress, absent, asOf) => {
    expect(readingState(state)).toBe(progress)
    expect(explainAbsence(state, NONE)).toBe(absent)
    expect(describeEpoch(state)).toBe(asOf)
  })

  it('without a network, a worker or an epoch has stopped', () => {
    expect(readingState(EMPTY_STATE)).toBe('stopped')
    expect(readingState({ ...ENDED, failure: 'out of memory' })).toBe('stopped')
    const none = { ...ENDED, epochs: [] }
    expect(explainAbsence({ ...none, failure: 'no chain' }, NONE)).toBe('Nothing was recomputed.')
    expect(explainAbsence(none, NONE)).toBe('Nothing was recomputed.')
    expect(describeEpoch({ ...READING, epochs: [] })).toBe('')
  })
})

/** Returns the text of a view, without its components. */
function wordsOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(wordsOf).join('')
  if (typeof node !== 'object' || node === null) return typeof node === 'string' ? node : ''
  return wordsOf((node as { readonly props?: { readonly children?: unknown } }).props?.children)
}

const pageOf = (state: AppState): Page => ({ state, ask: () => undefined as never })
test.each([
  ['duel', (page: Page) => ContenderView({ ...page, id: `3/${hotkey}` })],
  ['miner', (page: Page) => MinerView({ ...page, hotkey })],
  ['miners', MinersView],
  ['validators', ValidatorsView],
])('the view %s distinguishes a reading in progress from one that stopped', (_, draw) => {
  expect(wordsOf(draw(pageOf(READING)))).toContain('Reading…')
  expect(wordsOf(draw(pageOf(STOPPED)))).toContain(CUT_SHORT)
  const either = wordsOf([draw(pageOf(READING)), draw(pageOf(STOPPED))])
  expect(either).not.toMatch(/Everything held|It had no duel/)
})

it('shows the ratio to beat, and its epoch during a reading', () => {
  const shown = (state: AppState): string => JSON.stringify(ToBeat({ state }).props)
  expect(shown(ENDED)).toContain('"name":"To beat","value":"51 %"')
  expect(shown(READING)).toContain(' as of epoch 4"')
})

it.each([
  ['from the first epoch on', { from: 3 }, 'epoch 3', '2 epochs so far'],
  [
    'from a later epoch on',
    { from: 3, isTrusted: true },
    'epoch 3 or earlier',
    'at least 2 epochs',
  ],
  ['from before this reign on', { from: 1, isTrusted: true }, 'epoch 3', '2 epochs so far'],
])('a reading %s shows the first epoch of the champion', (_, begun, since, long) => {
  const beginning = { ...ENDED.beginning, ...begun } as ReadingSpan
  const state = { ...ENDED, beginning, epochs: [{ ...epoch, champion: { hotkey } }] } as never
  const drawn = JSON.stringify(Since({ state }))
  expect(drawn).toContain(`"value":"${since}"`)
  expect(drawn.replace(/","/g, '')).toContain(long)
})

it('shows an unknown confidence without a duel won', () => {
  const { value, children } = SureNumber({ state: ENDED }).props
  expect([value, children]).toEqual(['unknown', expect.stringContaining('without winning')])
})

it('names the copies not compared, and is bad if a bucket lacks a file', async () => {
  const soFar = { epochs: 1, files: 1, challenges: 1 }
  const network = { file: { chain: 'finney' }, isByLink: false, own: undefined }
  const stripOf = (state: AppState) => {
    const { props } = ReadingStrip({ state, soFar, network, refusal: undefined }) as VNode<{
      class: string
    }>
    return { kind: props.class.replace('strip strip-', ''), words: wordsOf({ props }) }
  }
  const lost = { hotkey, announced: 'a', place: 'p', files: 0 }
  const health: readonly BucketHealth[] = [{ ...lost, missing: 1, failure: undefined }]
  const flaws = [{ epoch: 3, validator: hotkey, code: 'STATE_DIFFERS', detail: '' } as const]
  const strips = [ENDED, { ...ENDED, health }, { ...ENDED, epochs: [{ ...epoch, flaws }] }].map(
    stripOf,
  )
  expect(strips.map(({ kind }) => kind)).toEqual(['good', 'bad', 'bad'])
  const words = strips.map((strip) => `${strip.words}\n`).join('')
  await expect(words).toMatchFileSnapshot('snapshots/strip.txt')
})

it('distinguishes a bucket without files', async () => {
  const bucket = (files: number, missing: number): BucketHealth => {
    const place = { hotkey, announced: 'a', place: 'p' }
    return { ...place, files, missing, failure: undefined }
  }
  const health = [bucket(0, 0), bucket(0, 3), bucket(1, 3)]
  const { props } = BucketTable({ state: { ...STOPPED, health } }) as VNode<{
    rows: readonly { cells: Readonly<Record<string, string>> }[]
  }>
  const states = props.rows.map(({ cells }) => `${cells.state}\n`).join('')
  await expect(states).toMatchFileSnapshot('snapshots/bucket-states.txt')
})
