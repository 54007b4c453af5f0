/*
 * A champion is silent in two environments in an accomplice's first epoch, and resigns its games in the
 * eighth. Then 32 challenges are known of the accomplice in these environments, and no rival is apart
 * from it there. If the order of the list decided such a tie, the accomplice would have the throne in
 * most lists. Protocol §8.11: the list decides only between contenders that are known at length;
 * otherwise the greater sum of lower bounds does.
 */
import { expect, test } from 'vitest'
import { LATE, rivalShare, SKILLS } from '../../packages/duel/bench/crown.ts'

const LISTS = Number(process.env.DUELS ?? 4)

test.each(Object.entries(SKILLS))(
  'a rival of p = .6 has the throne before accomplices that are hardly known, with %s tied',
  (_, skill) => {
    const share = rivalShare({ lanes: 4, liars: 0, skill, thrown: LATE }, LISTS)
    expect(share).toBeGreaterThanOrEqual(0.75)
  },
)
