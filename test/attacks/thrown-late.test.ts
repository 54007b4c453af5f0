/*
 * A champion does not reply in two environments in an accomplice's first epoch, and resigns its
 * games in the eighth, so that few challenges of the accomplice are known. Protocol §8.11: the list
 * decides only between contenders with enough challenges, otherwise the sum of lower bounds.
 */
import { expect, test } from 'vitest'
import { LATE, rivalShare, SKILLS } from '../../packages/duel/bench/crown.ts'

const LISTS = Number(process.env.DUELS ?? 4)

test.each(Object.entries(SKILLS))(
  'crowns a rival of p = .6 before accomplices with few challenges if a share of %s is tied',
  (_, skill) => {
    const share = rivalShare({ lanes: 4, liars: 0, skill, thrown: LATE }, LISTS)
    expect(share).toBeGreaterThanOrEqual(0.75)
  },
)
