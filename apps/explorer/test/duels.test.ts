import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, it, test } from 'vitest'
import { miner, type Scene } from '../../../packages/duel/test/subnet.ts'
import { EMPTY_STATE } from '../src/app-state.ts'
import { ThroneChart } from '../src/charts/throne-chart.tsx'
import { DuelView } from '../src/views/duel-view.tsx'
import { MinerView } from '../src/views/miners-view.tsx'
import { ThroneView } from '../src/views/throne-view.tsx'
import { played } from './epochs.ts'
import { rendered } from './rendered.ts'

/** m2 loses its duel at once, m3 wins it at once, m4 is neither better nor worse. */
const RATES: Readonly<Record<string, readonly [number, number]>> = {
  m2: [0.1, 0.4],
  m3: [0.5, 0.1],
  m4: [0.28, 0.25],
}
const scene: Scene = {
  miners: [1, 2, 3, 4].map((i) => miner(`m${i}`, i)),
  rates: (_validator, _env, contender) => RATES[contender] ?? [0, 0],
}
const { epochs } = played(Array(8).fill(scene))
const FIRST = epochs.slice(0, 1)

it('the throne has every duel that goes on, and every one that ended', () => {
  const text = rendered(ThroneView, FIRST, {})
  expect(text).toContain(
    'These contend:\nm3 contends, epoch 2 of at most 8: it has won (the duel so far)' +
      'm4 contends, epoch 2 of at most 8 (the duel so far)The ratio',
  )
  for (const outcome of ['m2 against m1: failed', 'm3 against m1: open', 'm4 against m1: open'])
    expect(text).toContain(`Duel of ${outcome}\n`)
  expect(text).toContain('1 contender failed against it since')
  const ended = rendered(ThroneView, epochs, {})
  for (const outcome of ['m2 against m1: failed', 'm3 against m1: won', 'm4 against m1: failed'])
    expect(ended).toContain(`Duel of ${outcome}\n`)
  expect(ended).toMatch(/How sure\d\d(\.\d)? % or more/)
  expect(ended).not.toContain('These contend')
})

test.each([
  ['m2', /^m1 keeps the throne, m2 fails: .* won 0 of 2/, 'It lost'],
  ['m3', /^★ m3 dethrones m1: .* won 2 of 2/, 'It won'],
  // In the epoch that ended this one m1 lost the throne to another.
  ['m4', /^m4 fails: .* won 0 of 2 .* when the 8 epochs were over/, 'It lost'],
])('the duel of %s has a page of its own, and the miner too', (hotkey, outcome, result) => {
  const [, lead = ''] = rendered(DuelView, epochs, { id: `12/${hotkey}` }).split('against m1')
  expect(lead).toMatch(outcome)
  const text = rendered(MinerView, epochs, { hotkey })
  expect(text).toMatch(new RegExp(`As contender against m1, epochs? 12.*${result}: the contender`))
})

it('the chart has duels of the same time on lines of their own, and later ones on the first', () => {
  const later = { ...scene, miners: [...(scene.miners ?? []), miner('m5', 5)] }
  const { epochs } = played([...Array(8).fill(scene), later, later])
  const html = renderToString(h(ThroneChart, { state: { ...EMPTY_STATE, epochs } }))
  const lines = [...html.matchAll(/class="mark mark-(\w+)".*?y1="(\d+)"/g)]
  expect(lines.map(([, how, y]) => [how, Number(y)])).toEqual([
    ['failed', 56],
    ['won', 76],
    ['failed', 96],
    ['open', 56],
  ])
})
