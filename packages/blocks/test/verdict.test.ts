import { expect, it } from 'vitest'
import { compareRewards } from '../src/index.ts'

it.each([
  [0, 1, 'win'],
  [1, 0, 'loss'],
  [1, 1, 'tie'],
  [-1, 0, 'win'],
  [0, -1, 'loss'],
  [-1, -1, 'tie'],
] as const)('champion %d, contender %d: %s', (champion, contender, verdict) => {
  expect(compareRewards({ champion, contender })).toBe(verdict)
})
