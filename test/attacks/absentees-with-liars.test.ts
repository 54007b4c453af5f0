/*
 * Liars with just under a third of the weight know every result and choose which lanes they attest
 * while honest validators are absent. Protocol §8.3: an epoch that less than two thirds of the
 * weight attest is frozen; in any other epoch most attesters are honest, so all honest lanes count.
 */
import { expect, test } from 'vitest'
import { decide, type Facts, type State } from '../../packages/duel/src/index.ts'
import { epochOf, startedDuels } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { after, leadIn, playDuels, votersOf, withAttestations, withLies } from './deciding.ts'

const validators = votersOf(16)
const [liars, honest] = [validators.slice(0, 5), validators.slice(5)]
const started = startedDuels({ validators })
/** The state that governs the duel's second epoch. It has no verdict, and its trust can fall. */
const later = after(started, { validators, rates: [0.5, 0.4] }).state

/** Returns facts: liars attest `chosen`, and others every lane except the lanes of `absent`. */
function epochWith(
  state: State,
  absent: readonly string[],
  [facts, chosen]: readonly [Facts, (liar: string) => readonly string[]],
): Facts {
  const present = validators.filter((voter) => !absent.includes(voter))
  return withAttestations(state, facts, (voter) =>
    liars.includes(voter) ? chosen(voter) : present,
  )
}

test.each([1, 5, 6])(
  'with %i honest validators absent, counts the lanes of all present ones or freezes the epoch',
  (count) => {
    const random = pcg64(83n)
    const absent = honest.slice(0, count)
    const present = honest.slice(count)
    for (let i = 0; i < 30; i++) {
      const some = () => random.random() < 0.5
      const silent = [...absent, ...liars.filter(() => some())]
      const facts = epochOf(later, { validators, rates: [0.5, 0.4], silent, unsealed: absent })
      const chosen = () => validators.filter(some)
      const { state, report } = decide(later, epochWith(later, absent, [facts, chosen]))
      const attesters = validators.length - silent.length
      expect(report.frozen).toBe(3 * attesters < 2 * validators.length)
      if (report.frozen) {
        const [duel] = later.duels
        const tallies = [...(duel?.tallies ?? []), {}]
        expect([state.trust, state.duels]).toEqual([later.trust, [{ ...duel, tallies }]])
        continue
      }
      for (const voter of present) expect(report.lanes[voter]?.accepted).toBe(true)
      for (const voter of present) expect(state.trust[voter]?.incorrect).toBe(0)
    }
  },
)

test('crowns no contender exactly at the ratio to beat if liars attest only its best lanes', () => {
  const absent = honest.slice(0, 3)
  const { thrones, environments } = playDuels(20, started, (state, draw) => {
    const rates = withLies(liars, draw(state, 0.57), draw(state, 0.51))
    const facts = epochOf(state, { validators, rates, silent: absent, unsealed: absent })
    const best = [...validators].sort((a, b) => leadIn(facts.lanes[b]) - leadIn(facts.lanes[a]))
    return epochWith(state, absent, [facts, () => best.slice(0, 8)])
  })
  expect(thrones).toBe(0)
  expect(environments).toBeLessThanOrEqual(2)
})
