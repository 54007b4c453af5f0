import { expect, test } from 'vitest'
import { sideBySide } from '../src/side-by-side.ts'

test('makes something of each item, in their order, whoever is slow', async () => {
  const made = await sideBySide([30, 0, 20, 10], async (turns) => {
    for (let turn = 0; turn < turns; turn++) await null
    return `after ${turns}`
  })
  expect(made).toEqual(['after 30', 'after 0', 'after 20', 'after 10'])
  expect(await sideBySide([], async () => 1)).toEqual([])
})

test('has eight under way, and begins another as one ends', async () => {
  const ends: (() => void)[] = []
  const begun = () => ends.length
  const all = sideBySide(
    Array.from({ length: 20 }, (_, i) => i),
    () => new Promise<void>((end) => ends.push(end)),
  )
  expect(begun()).toBe(8)
  for (let ended = 0; ended < 20; ended++) {
    ends[ended]?.()
    await new Promise((done) => setImmediate(done))
    expect(begun()).toBe(Math.min(20, 9 + ended))
  }
  await all
})
