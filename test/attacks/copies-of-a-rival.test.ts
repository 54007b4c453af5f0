/*
 * A miner is about to win, and others register its model, whose files are public. Protocol §8.11:
 * of two contenders whose results do not differ clearly, the earlier in the list is crowned.
 */
import { expect, test } from 'vitest'
import { alike, originalShare } from '../../packages/duel/bench/copies.ts'
import { SKILLS } from '../../packages/duel/bench/crown.ts'
import { equal } from '../../packages/duel/bench/stakes.ts'

const LISTS = Number(process.env.DUELS ?? 4)
const sceneWithCopies = (skill: keyof typeof SKILLS) => ({
  copies: 7,
  stakes: equal(4),
  liars: 0,
  skills: alike(SKILLS[skill]),
})

test.each([
  ['.50', 0],
  ['.79', 0],
  ['.50', 1],
] as const)(
  'with a share of %s tied, crowns the original in most lists, with seven copies %i epochs later',
  (tied, delay) => {
    const { won } = originalShare(sceneWithCopies(tied), delay, LISTS)
    expect(won).toBeGreaterThanOrEqual(0.75)
  },
)
