import type { VNode } from 'preact'
import { expect, it, test } from 'vitest'
import { type AppState, EMPTY_STATE } from '../src/app-state.ts'
import { explainAbsence, readingState } from '../src/page.ts'
import { ContenderView } from '../src/views/contender-view.tsx'
import { MinersView, MinerView } from '../src/views/miners-view.tsx'
import { RaceView } from '../src/views/race-view.tsx'
import { ReadingStrip } from '../src/views/reading-strip.tsx'
import { BucketTable, ValidatorsView } from '../src/views/validators-view.tsx'
import type { BucketHealth } from '../src/worker/buckets.ts'
import type { EpochAccount } from '../src/worker/epoch-accounts.ts'
import type { ReadingSpan } from '../src/worker/reader.ts'
import { renderText } from './rendered.ts'

const hotkey = `5${'A'.repeat(47)}`
const known = { flaws: [], warnings: [], lanes: [], duels: [], trust: {} }
const nextChampion = { hotkey, model: `lab/${hotkey}` }
const epoch = { epoch: 3, nextChampion, nextRatio: 510_000, ...known } as never as EpochAccount
const file = { chain: 'finney', names: { [hotkey]: 'alice' } }
const beginning = { from: 3, to: 5, titles: [] } as never as ReadingSpan
const READING: AppState = { ...EMPTY_STATE, file, beginning }
const STOPPED: AppState = { ...READING, epochs: [epoch], failure: 'no bucket answers' }
const ENDED: AppState = { ...READING, epochs: [epoch], ms: 7 }
const NONE = 'Everything held.'

test.each([
  ['that continues', READING, 'reading', 'Reading…'],
  ['that stopped', STOPPED, 'stopped', 'Reading stopped early.'],
  [
    'that stopped before an epoch',
    { ...STOPPED, epochs: [] },
    'stopped',
    'Nothing was recomputed.',
  ],
  ['without a network', EMPTY_STATE, 'stopped', 'Nothing was recomputed.'],
  ['that has ended', ENDED, 'ended', NONE],
  ['that ended before an epoch', { ...ENDED, epochs: [] }, 'ended', 'Nothing was recomputed.'],
  ['that no longer follows the chain', { ...STOPPED, ms: 7 }, 'ended', NONE],
])('a reading %s explains missing content', (_, state, progress, absent) => {
  expect([readingState(state), explainAbsence(state, NONE)]).toEqual([progress, absent])
})

test.each([
  ['race', RaceView, {}],
  ['duel', ContenderView, { id: `3/${hotkey}` }],
  ['miner', MinerView, { hotkey }],
  ['miners', MinersView, {}],
  ['validators', ValidatorsView, {}],
])('the view %s distinguishes a reading in progress from a stopped one', (_, view, route) => {
  const unread = { queue: undefined, ms: undefined }
  const textOf = (state: Partial<AppState>): string =>
    renderText(view as typeof RaceView, state.epochs ?? [], route as never, { ...state, ...unread })
  expect(textOf(READING)).toContain('Reading…')
  expect(textOf(STOPPED)).toMatch(/Reading stopped early\.|has the throne in epoch 4/)
  expect(textOf(READING) + textOf(STOPPED)).not.toMatch(/No lane was due|It had no duel/)
})

it('shows the champion, its first epoch, the ratio to beat and the wait of each miner', () => {
  const shown = (found: object): string =>
    renderText(RaceView, [{ ...epoch, champion: { hotkey } } as never], {}, { ...ENDED, ...found })
  const turn = { least: 2, most: 7 }
  const text = shown({ queue: [{ place: 1, hotkey: '5B', turn } as never] })
  for (const part of [
    'alice has the throne',
    'epoch 3\nModel: lab/5AAAAA…AAAA\n',
    '51 %\n',
    '5B waits about 2 to 7 epochs',
  ])
    expect(text).toContain(part)
  expect(text).toContain('it won no duel for this throne')
  const spanFrom = (from: number): ReadingSpan => ({ ...beginning, from, isTrusted: true })
  expect(shown({ beginning: spanFrom(3), queue: [] })).toContain('epoch 3 or earlier\n')
  expect(shown({ beginning: spanFrom(1), queue: [] })).toContain('epoch 3\n')
})

it('shows the champion first, then contenders, then the queue with its expected wait', () => {
  const entries = ['other', 'waits', 'contends', 'champion'].map((hotkey, uid) => {
    return { hotkey, uid, why: `is ${hotkey}`, place: undefined }
  })
  const waits = { ...entries[1], place: 1, turn: { least: 1, most: 1 } }
  const queue = [waits, ...entries.filter(({ uid }) => uid !== 1)] as never
  const champion = { hotkey: 'champion', model: 'm' }
  const epochs = [
    { ...epoch, nextChampion: champion, nextDuels: [{ contender: { hotkey: 'contends' } }] },
  ]
  const text = renderText(MinersView, epochs as never, {}, { queue })
  expect(text.match(/^(is .*|waits at .*|about .*)$/gm)).toEqual([
    ...['is champion', 'is contends', 'waits at place 1', 'about 1 epoch', 'is other'],
  ])
})

it('states what was verified; if data is faulty, shows a warning with the reason', async () => {
  const network = { file, isByLink: false, own: undefined }
  const stripOf = (found: Partial<AppState>): string => {
    const state = { ...ENDED, ...found }
    const props = { state, network }
    const { class: kind } = (ReadingStrip(props) as VNode<{ class: string }>).props
    return `${kind}: ${renderText(() => ReadingStrip(props), [], {})}\n`
  }
  const stateWithFlaw = (code: string, validator = hotkey): Partial<AppState> => ({
    epochs: [{ ...epoch, flaws: [{ epoch: 3, validator, code, detail: '' }] } as never],
  })
  const bucket = { hotkey, announced: 'a', place: 'p', files: 0, missing: 1, failure: undefined }
  const head = { block: 181, time: 1_796_155_260_000, blocksLeft: 28, secondsLeft: 336 }
  const all = ['5B', '5C', '5D', '5E'].flatMap(
    (key) => stateWithFlaw('WRONG_REPLAY', key).epochs ?? [],
  )
  const strips = [
    { head },
    { head: { ...head, time: 2_172_000, blocksLeft: 1, secondsLeft: 12 } },
    { beginning: { ...beginning, isTrusted: true } },
    { health: [bucket] },
    { health: [{ ...bucket, missing: 0, failure: 'no answer' }] },
    stateWithFlaw('STATE_MISSING'),
    stateWithFlaw('WRONG_REPLAY'),
    { epochs: all },
    { failure: 'the node is gone' },
    { failure: 'no bucket answers', ms: undefined },
    { epochs: [] },
  ].map(stripOf)
  await expect(strips.join('')).toMatchFileSnapshot('snapshots/strip.txt')
})

it('distinguishes a bucket without files from one without an answer', async () => {
  const bucket = (files: number, missing: number): BucketHealth => {
    const place = { hotkey, announced: 'a', place: 'p' }
    return { ...place, files, missing, failure: undefined }
  }
  const health = [bucket(0, 0), bucket(0, 3), bucket(1, 3)]
  const { props } = BucketTable({ state: { ...STOPPED, health } }) as VNode<{
    rows: readonly Readonly<Record<string, string>>[]
  }>
  const states = props.rows.map(({ state }) => `${state}\n`).join('')
  await expect(states).toMatchFileSnapshot('snapshots/bucket-states.txt')
})
