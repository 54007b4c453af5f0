import fc from 'fast-check'
import { expect, it } from 'vitest'
import { challengeVerdict } from '../src/index.ts'

const verdictOf = (champion: number, contender: number) => challengeVerdict({ champion, contender })

it.each([
  [0, 1, 'win'],
  [1, 0, 'loss'],
  [1, 1, 'tie'],
  [-1, 0, 'win'],
  [0, -1, 'loss'],
  [-1, -1, 'tie'],
] as const)('champion %d, contender %d: %s', (champion, contender, verdict) => {
  expect(verdictOf(champion, contender)).toBe(verdict)
})

it('is the other way round for the other side', () => {
  const mirrored = { win: 'loss', loss: 'win', tie: 'tie' }
  const reward = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.maxSafeInteger())
  fc.assert(
    fc.property(reward, reward, (champion, contender) => {
      expect(verdictOf(contender, champion)).toBe(mirrored[verdictOf(champion, contender)])
    }),
  )
})
