import { describe, expect, test } from 'vitest'
import { alike, originalShare } from '../../packages/duel/bench/copies.ts'
import {
  LATE,
  rivalShare,
  SKILLS,
  THROWS,
  type Throw,
  thirdOf,
} from '../../packages/duel/bench/crown.ts'
import { equal } from '../../packages/duel/bench/stakes.ts'

const LISTS = 4
const ACCOMPLICES_LISTS = Number(process.env.DUELS ?? 1)

// A miner is about to win, and others register its model, whose files are public. Protocol §8.11:
// of two contenders whose results do not differ clearly, the earlier in the list is crowned.
describe('copies-of-a-rival', () => {
  test.each([
    ['.50', 0],
    ['.79', 0],
    ['.50', 1],
  ] as const)(
    'with a share of %s tied, crowns the original in most lists, with seven copies %i epochs later',
    (tied, delay) => {
      const scene = { copies: 7, stakes: equal(4), liars: 0, skills: alike(SKILLS[tied]) }
      expect(originalShare(scene, delay, LISTS / 2).won).toBeGreaterThanOrEqual(0.75)
    },
  )
})

// A champion does not reply in two environments in an accomplice's first epoch, and resigns its
// games in the eighth, so that few challenges of the accomplice are known. Protocol §8.11: the list
// decides only between contenders with enough challenges, otherwise the sum of lower bounds.
describe('thrown-late', () => {
  test.each(Object.entries(SKILLS))(
    'crowns a rival of p = .6 before accomplices with few challenges if a share of %s is tied',
    (_, skill) => {
      const share = rivalShare({ lanes: 4, liars: 0, skill, thrown: LATE }, LISTS)
      expect(share).toBeGreaterThanOrEqual(0.75)
    },
  )
})

// A champion about to lose throws its duel to accomplices, so that one of them is crowned before a
// better rival has won. Protocol §8.11: while a duel is won, none begins, all others continue to
// their end, and the best winner in environments of one player is crowned.
describe('thrown-to-accomplices', () => {
  test.each(Object.entries<Throw>(THROWS))(
    'crowns a rival of p = .6 when the champion throws %s to seven accomplices',
    (_, thrown) => {
      const [half, more] = [SKILLS['.50'], SKILLS['.79']]
      expect(rivalShare({ lanes: 4, liars: 0, skill: half, thrown }, ACCOMPLICES_LISTS)).toBe(1)
      const lied = { lanes: 7, liars: thirdOf(7), skill: more, thrown }
      expect(rivalShare(lied, ACCOMPLICES_LISTS)).toBeGreaterThanOrEqual(0.66)
    },
  )
})
