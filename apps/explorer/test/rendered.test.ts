import type { LaneFacts, ValidatorStatus } from '@affine/report'
import type { Flaw } from '@affine/settlement'
import type { VNode } from 'preact'
import { expect, it, test } from 'vitest'
import { miner, type Scene } from '../../../packages/duel/test/subnet.ts'
import { type AppState, EMPTY_STATE } from '../src/app-state.ts'
import { explainAbsence, readingState } from '../src/page.ts'
import { ContenderView } from '../src/views/contender-view.tsx'
import { MinersView, MinerView } from '../src/views/miners-view.tsx'
import { RaceView } from '../src/views/race-view.tsx'
import { ReadingStrip } from '../src/views/reading-strip.tsx'
import { ValidatorsView } from '../src/views/validators-view.tsx'
import type { EpochAccount } from '../src/worker/epoch-accounts.ts'
import type { ReadingSpan } from '../src/worker/reader.ts'
import { played } from './epochs.ts'
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
const NOTHING = 'Nothing was recomputed.'

test.each([
  ['that continues', READING, 'reading', 'Reading…'],
  ['that stopped', STOPPED, 'stopped', 'Reading stopped early.'],
  ['that stopped before an epoch', { ...STOPPED, epochs: [] }, 'stopped', NOTHING],
  ['without a network', EMPTY_STATE, 'stopped', NOTHING],
  ['that has ended', ENDED, 'ended', NONE],
  ['that ended before an epoch', { ...ENDED, epochs: [] }, 'ended', NOTHING],
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

it('shows the champion, its first epoch and the ratio to beat', () => {
  const shown = (found: object): string =>
    renderText(RaceView, [{ ...epoch, champion: { hotkey } } as never], {}, { ...ENDED, ...found })
  const text = shown({})
  const facts = ['alice has the throne', 'epoch 3\nModel: lab/5AAAAA…AAAA\n', '51 %\n']
  for (const part of [...facts, 'it won no duel for this throne']) expect(text).toContain(part)
  const spanFrom = (from: number): ReadingSpan => ({ ...beginning, from, isTrusted: true })
  expect(shown({ beginning: spanFrom(3) })).toContain('epoch 3 or earlier\n')
  expect(shown({ beginning: spanFrom(1) })).toContain('epoch 3\n')
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

it('states what was verified, and warns with the reason if data is faulty or the reading has stopped', async () => {
  const stripOf = (found: Partial<AppState>): string => {
    const state = { ...ENDED, ...found }
    const { class: kind } = (ReadingStrip({ state }) as VNode<{ class: string }>).props
    return `${kind}: ${renderText(() => ReadingStrip({ state }), [], {})}\n`
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

/** Shares of wins and losses. m2 loses in one epoch, m3 wins in one, m4 gets no verdict. */
const RATES: Readonly<Record<string, readonly [number, number]>> = {
  m2: [0.1, 0.4],
  m3: [0.5, 0.1],
  m4: [0.1, 0.085],
}
const SCENE: Scene = {
  miners: [1, 2, 3, 4].map((i) => miner(`m${i}`, i)),
  rates: (_validator, _env, contender) => RATES[contender] ?? [0, 0],
}
const { epochs: DUEL_EPOCHS } = played(Array(8).fill(SCENE))
const FIRST = DUEL_EPOCHS.slice(0, 1)

it('shows each contender with its lead and remaining epochs', () => {
  const text = renderText(RaceView, FIRST, {})
  expect(text).toContain('m1 has the throne')
  expect(text).toMatch(/m3 has won, and waits for the other duels; 7 epochs left its duel/)
  expect(text).toMatch(/m4 contends, epoch 2 of at most 8; 7 epochs left its duel/)
  expect(text).toContain('mult8: 63.1 % to 96 %. win')
  expect(text).toContain('51 %: to beat')
  const ended = renderText(RaceView, DUEL_EPOCHS, {})
  expect(ended).toMatch(
    /How sure99.7 %\nor more of the contenders .* won 2 of 2 environments and needed 2/,
  )
  expect(ended).toContain('m3 has the throne')
  expect(ended).toMatch(/How it won the throne.*m3 took the throne: .* its duel/s)
})

it('lists the champions and their failed contenders, latest first', () => {
  const [, line = ''] = renderText(RaceView, DUEL_EPOCHS, {}).split('Champions, latest first')
  expect(line).toMatch(/^m3from epoch 20 on\n/)
  expect(line).toMatch(/m1epochs 12 to 19\nm2 failedm3 took the thronem4 failed/)
})

test.each([
  ['m2', 'failed'],
  ['m3', 'took the throne'],
  ['m4', 'failed, as its epochs were over'],
])('describes the end of the duel of %s in the views of duel and miner', (hotkey, how) => {
  const shown = renderText(ContenderView, DUEL_EPOCHS, { id: `12/${hotkey}` })
  expect(shown).toContain(`against m1${hotkey} ${how}: `)
  const text = renderText(MinerView, DUEL_EPOCHS, { hotkey })
  expect(text).toMatch(new RegExp(`As contender, epochs? 12[^:]*: ${hotkey} ${how}: `))
})

const lane = (validator: string, more: Partial<LaneFacts> = {}): LaneFacts => ({
  validator,
  sealed: true,
  attested: true,
  accepted: true,
  setAside: [],
  trust: 900_000,
  fault: undefined,
  ...more,
})
const flaw = (validator: string, code: string): Flaw =>
  ({ epoch: 1, validator, code, detail: '' }) as Flaw
const DUELS = ['5B', '5C', '5D'].map((hotkey, i) => ({
  id: `1/${hotkey}`,
  contender: { hotkey },
  champion: { hotkey: '5A' },
  analyses: [{ env: ['mult8', 'mult8', 'hex'][i] }],
}))
const laneEpoch = (lanes: readonly LaneFacts[], flaws: readonly Flaw[] = []): EpochAccount =>
  ({ epoch: 1, lanes, flaws, warnings: [], trust: {}, duels: DUELS }) as never as EpochAccount

const EPOCHS = [
  laneEpoch([
    lane('alice'),
    lane('mallory', { setAside: [{ env: 'mult8', contenders: ['5C'] }] }),
    lane('eve'),
  ]),
  laneEpoch(
    [lane('alice', { sealed: false, accepted: false }), lane('mallory'), lane('eve')],
    [flaw('eve', 'WRONG_REPLAY'), flaw('alice', 'COPY_MISSING'), flaw('eve', 'WRONG_REPLAY')],
  ),
]

it('lists validators with lanes and flaws, flawed validators first and idle ones last', () => {
  const validators = [{ hotkey: 'zed', stake: 7_000_000_000n, isIdle: true } as ValidatorStatus]
  const all = renderText(ValidatorsView, EPOCHS, {}, { validators })
  const rows = [
    ['eve', '–', '2 of 2', '0 of 2', 'WRONG_REPLAY × 2', '50 %'],
    ['mallory', '–', '2 of 2', '1 of 2', 'none', '50 %'],
    // A lost file proves nothing.
    ['alice', '–', '1 of 2', '0 of 2', 'none', '50 %'],
    ['zed', '7 TAO', 'idle', '0 of 0', 'none', '50 %'],
  ]
  expect(all).toContain(rows.flat().join('\n'))
  // The view shows the duel in which a validator is an outlier.
  expect(all).toContain(' 5C against 5A, epoch 1.')
  const eve = renderText(ValidatorsView, EPOCHS, { of: 'eve' })
  expect(eve).toContain('eve\n–\n2 of 2\n0 of 2\nWRONG_REPLAY × 2\n')
  expect(eve).not.toContain('alice')
})

it('names the environments in which a lane was set aside', () => {
  const text = renderText(ValidatorsView, EPOCHS, { of: 'mallory' })
  expect(text).toContain('1\n✔\n90 %\n1\n✘ suspect in mult8\n90 %\n')
})
