import { pcg64 } from '@affine/prng'
import { expect, it } from 'vitest'
import { drawLane } from '../../duel/bench/queue.ts'
import { decide, orderQueue, PROTOCOL } from '../../duel/src/index.ts'
import { crownedFirst, epochOf, miner } from '../../duel/test/subnet.ts'
import { formatReadiness } from '../src/index.ts'
import { describeWait, type EpochRange, estimateTurn } from '../src/queue-wait.ts'

it.each([
  ['copies and slightly weaker miners', 4, (place: number) => (place % 5 < 3 ? 0.5 : 0.47)],
  ['weak miners', 4, () => 0.3],
])('estimates ranges that contain 9 of 10 simulated waits of %s', (_, lanes, share) => {
  const random = pcg64(20_260_101n)
  const validators = Array.from({ length: lanes }, (_, i) => `v${i + 10}`)
  const miners = Array.from({ length: 160 }, (_, place) => miner(`m${place}`, place))
  const estimates: { hotkey: string; epoch: number; range: EpochRange }[] = []
  const begun = new Map<string, number>()
  let state = crownedFirst({ validators, miners: [miner('champion')], protocol: PROTOCOL })
  const first = state.epoch
  for (let isWaiting = true; isWaiting; ) {
    for (const { contender, start } of state.duels) begun.set(contender.hotkey, start)
    const facts = epochOf(state, { validators, miners, protocol: PROTOCOL })
    const waiting = orderQueue(state, facts.snapshot)
    for (const [i, { hotkey }] of waiting.entries())
      if (state.epoch >= first + 20)
        estimates.push({ hotkey, epoch: state.epoch, range: estimateTurn(i + 1, state) })
    isWaiting = waiting.length > 0
    const lane = () => drawLane(state, random, (hotkey) => share(Number(hotkey.slice(1))))
    const lanes = Object.fromEntries(validators.map((validator) => [validator, lane()]))
    state = decide(state, { ...facts, lanes }).state
  }
  const holds = estimates.filter(({ hotkey, epoch, range: { least, most } }) => {
    const waited = (begun.get(hotkey) ?? 0) - epoch
    return waited >= least - 1 && waited <= most + 1
  })
  expect(estimates.length).toBeGreaterThan(100)
  expect(holds.length / estimates.length).toBeGreaterThan(0.9)
  // Each range is 0.8 to 1.25 times the expected wait, rounded outwards, so it is never wide.
  const far = estimates.filter(({ range }) => range.least > 20)
  for (const { range } of far) expect(range.most / range.least).toBeLessThan(1.7)
})

it('formats the wait and the first epoch in which a miner must be available', async () => {
  const range = { least: 12, most: 17 }
  const waits = (least: number) =>
    formatReadiness({ readyBy: 800 + least, turn: { least, most: 17 } })
  const texts = [
    describeWait([40, 80], range, { registrations: 57, immuneBlocks: 300 }),
    describeWait([1, 1], { least: 1, most: 1 }, undefined),
    ...[waits(1), waits(12), formatReadiness({ readyBy: 800 })].flat(),
  ]
  await expect(`${texts.join('\n')}\n`).toMatchFileSnapshot('snapshots/queue-wait.txt')
  expect(formatReadiness({})).toEqual([])
})
