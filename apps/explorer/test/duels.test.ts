import { expect, it, test } from 'vitest'
import { miner, type Scene } from '../../../packages/duel/test/subnet.ts'
import { ContenderView } from '../src/views/contender-view.tsx'
import { MinerView } from '../src/views/miners-view.tsx'
import { RaceView } from '../src/views/race-view.tsx'
import { played } from './epochs.ts'
import { renderText } from './rendered.ts'

/** Shares of wins and losses. m2 loses in one epoch, m3 wins in one, m4 gets no verdict. */
const RATES: Readonly<Record<string, readonly [number, number]>> = {
  m2: [0.1, 0.4],
  m3: [0.5, 0.1],
  m4: [0.1, 0.085],
}
const scene: Scene = {
  miners: [1, 2, 3, 4].map((i) => miner(`m${i}`, i)),
  rates: (_validator, _env, contender) => RATES[contender] ?? [0, 0],
}
const { epochs } = played(Array(8).fill(scene))
const FIRST = epochs.slice(0, 1)

it('shows each contender with its lead and remaining epochs', () => {
  const text = renderText(RaceView, FIRST, {})
  expect(text).toContain('m1 has the throne')
  expect(text).toMatch(/m3 has won, and waits for the other duels; 7 epochs left its duel/)
  expect(text).toMatch(/m4 contends, epoch 2 of at most 8; 7 epochs left its duel/)
  expect(text).toContain('mult8: 63.1 % to 96 %. win')
  expect(text).toContain('51 %: to beat')
  expect(text).not.toContain('was to beat')
  const ended = renderText(RaceView, epochs, {})
  expect(ended).toMatch(
    /How sure99.7 %\nor more of the contenders .* won 2 of 2 environments and needed 2/,
  )
  expect(ended).toContain('m3 has the throne')
  expect(ended).toContain('No miner waits')
  expect(ended).toMatch(/How it won the throne.*m3 took the throne: .* its duel.*\nNo miner waits/s)
})

it('lists the champions, their ratios and failed contenders, latest first', () => {
  const [, line = ''] = renderText(RaceView, epochs, {}).split('Champions, latest first')
  expect(line).toMatch(/^m3from epoch 20 on. To beat: \d/)
  expect(line).toMatch(/m1epochs 12 to 19. Was to beat: 51 %\nm2 failedm3 took the thronem4 failed/)
})

test.each([
  ['m2', 'failed'],
  ['m3', 'took the throne'],
  ['m4', 'failed, as its epochs were over'],
])('describes the end of the duel of %s in the views of duel and miner', (hotkey, how) => {
  const shown = renderText(ContenderView, epochs, { id: `12/${hotkey}` })
  expect(shown).toContain(`against m1${hotkey} ${how}: `)
  const text = renderText(MinerView, epochs, { hotkey })
  expect(text).toMatch(new RegExp(`As contender, epochs? 12[^:]*: ${hotkey} ${how}: `))
})
