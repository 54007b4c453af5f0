/*
 * Miners tell validators apart, and play badly for a chosen third of them, whose lanes are then too
 * far from the others'. The old rules counted a lane that is set aside as incorrect: an attacker
 * with 28 % of the stake had 36 % of the pull after four epochs, more than a third. Protocol §8.9:
 * such a lane gets neither count, and after eighty epochs the attacker is still at most at a third.
 * With several duels, one accomplice in the list would have been enough: a lane loses its count
 * only where it is set aside in half of them.
 */
import { expect, test } from 'vitest'
import { decide, type State, trustOf } from '../../packages/duel/src/index.ts'
import { epochOf, miner, type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { after, blockOf, votersOf } from './deciding.ts'

/** Most of the challenges are decisive, above the line of a hold; for the victims none is. */
const CALM = [0.42, 0.34] as const
const BAD = [0, 0] as const

/** One contender at a time: the facts of the epoch that `state` governs. */
function factsOf(state: State, validators: readonly string[], victims: readonly string[]) {
  const name = state.duels[0]?.contender.hotkey ?? `k${state.epoch}`
  const miners = [miner('m1', 0), miner(name, 1)]
  const rates: Scene['rates'] = (voter) => (victims.includes(voter) ? BAD : CALM)
  return epochOf(state, { validators, miners, rates })
}

/** How much of all pull the first `count` of equal validators have. */
function pullOf({ trust }: State, validators: readonly string[], count: number): number {
  const pulls = validators.map((voter) => trustOf(trust[voter]))
  const sum = (some: readonly number[]) => some.reduce((all, pull) => all + pull, 0)
  return sum(pulls.slice(0, count)) / sum(pulls)
}

test.each([
  [7, 2, 80],
  [16, 4, 40],
  [64, 18, 16],
])(
  'of %i validators, %i attackers have at most a third of the pull after %i epochs',
  (size, attackers, epochs) => {
    const validators = votersOf(size)
    const victims = validators.slice(-Math.floor(size / 3))
    let state = startedDuels({ validators })
    let aside = 0
    for (let epoch = 0; epoch < epochs; epoch++) {
      const { state: next, report } = decide(state, factsOf(state, validators, victims))
      const looks = report.duels.flatMap(({ envs }) => Object.values(envs))
      aside += victims.filter((one) => looks.some(({ setAside }) => setAside.includes(one))).length
      state = next
    }
    expect(aside).toBeGreaterThan(epochs)
    for (const victim of victims)
      expect(trustOf(state.trust[victim])).toBeGreaterThanOrEqual(500_000)
    expect(pullOf(state, validators, attackers)).toBeLessThan(1 / 3)
  },
)

test('one accomplice among three contenders costs the victims nothing', () => {
  const validators = votersOf(7)
  const victims = validators.slice(-2)
  let state = startedDuels({ validators })
  for (let epoch = 0; epoch < 40; epoch++) {
    const contenders = ['a', 'b', 'c'].map((name, i) =>
      miner(name, blockOf(state, state.epoch) + i, `${state.epoch}`),
    )
    const rates: Scene['rates'] = (voter, _, contender) =>
      contender === 'a' && victims.includes(voter) ? BAD : CALM
    state = after(state, { validators, miners: [miner('m1', 0), ...contenders], rates }).state
  }
  expect(new Set(validators.map((voter) => trustOf(state.trust[voter]))).size).toBe(1)
})
