import { expect, it } from 'vitest'
import { waitsText } from '../src/lines.ts'

it('names the buckets that were waited for long, the longest waits first', () => {
  const waits = new Map([
    ['5A', 9999],
    ['5B', 12_400],
    ['5C', 88_600],
  ])
  expect(waitsText(waits)).toBe(
    'Waited for slow buckets: 89 s for that of 5C, 12 s for that of 5B. ' +
      'Up to 90 s each is no failure',
  )
})

it('names eight, and says how many more there are', () => {
  const waits = new Map(Array.from({ length: 10 }, (_, i) => [`v${i}`, 20_000 + i]))
  expect(waitsText(waits)).toMatch(/for that of v2, less for 2 more\. Up to/)
})

it('says nothing of short waits', () => {
  expect(waitsText(new Map([['5A', 9999]]))).toBeUndefined()
})
