/*
 * A champion about to lose throws its duel to accomplices, so that one of them is crowned before a
 * better rival has won. Protocol §8.11: while a duel is won, none begins, all others continue to
 * their end, and the best winner in environments of one player is crowned.
 */
import { expect, test } from 'vitest'
import { rivalShare, SKILLS, THROWS, type Throw, thirdOf } from '../../packages/duel/bench/crown.ts'
import { miner, type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { after, contendersIn } from './deciding.ts'

const LISTS = Number(process.env.DUELS ?? 3)

test.each(Object.entries<Throw>(THROWS))(
  'crowns a rival of p = .6 when the champion throws %s to seven accomplices',
  (_, thrown) => {
    const [half, more] = [SKILLS['.50'], SKILLS['.79']]
    expect(rivalShare({ lanes: 4, liars: 0, skill: half, thrown }, LISTS)).toBe(1)
    const lied = { lanes: 7, liars: thirdOf(7), skill: more, thrown }
    expect(rivalShare(lied, LISTS)).toBeGreaterThanOrEqual(0.66)
  },
)

test('lets an accomplice that wins in one epoch wait for a rival that needs eight', () => {
  const miners = [miner('king', 0), miner('accomplice', 1), miner('rival', 2)]
  const late = miner('late', 3)
  let state = startedDuels({ miners })
  const rates: Scene['rates'] = (_, _env, contender) =>
    contender === 'rival' ? [0.58, 0.42] : [0.5, 0]
  const points: Scene['points'] = (_, _env, contender) => [contender === 'rival' ? 0.58 : 0.5, 0.42]
  const standings: unknown[] = []
  while (state.champion?.hotkey === 'king') {
    const { state: next, report } = after(state, { miners: [late], rates, points })
    standings.push(report.duels.map(({ standing }) => standing))
    expect(contendersIn(next)).not.toContain(report.crowned === undefined ? 'late' : 'accomplice')
    state = next
  }
  expect(standings).toHaveLength(8)
  expect([standings[0], standings[7]]).toEqual([
    ['won', 'open'],
    ['won', 'won'],
  ])
  expect([state.champion?.hotkey, contendersIn(state)]).toEqual(['rival', ['late']])
})
