/*
 * Miners tell validators apart, and play badly for a chosen third of them, whose lanes are then too
 * far from the others'. The old rules counted a lane that is set aside as incorrect: an attacker
 * with 28 % of the stake had 36 % of the pull after four epochs, more than a third. Protocol §8.9:
 * such a lane gets neither count, and after eighty epochs the attacker is still at most at a third.
 */
import { expect, test } from 'vitest'
import { decide, type State, trustOf } from '../../packages/duel/src/index.ts'
import { epochOf, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import { FIRST, votersOf } from './deciding.ts'

/** Half of the challenges are decisive, as good as equal; for the victims none is. */
const CALM = [0.26, 0.24] as const
const BAD = [0, 0] as const

/** A contender a duel, one after another: the facts of the epoch that `state` governs. */
function factsOf(state: State, validators: readonly string[], victims: readonly string[]) {
  const name = state.duel?.contender.hotkey ?? `k${state.epoch}`
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
    let state = FIRST
    let aside = 0
    for (let epoch = 0; epoch < epochs; epoch++) {
      const { state: next, report } = decide(state, factsOf(state, validators, victims))
      aside += victims.filter((voter) => report.lanes[voter]?.setAside.length).length
      state = next
    }
    expect(aside).toBeGreaterThan(epochs)
    for (const victim of victims)
      expect(trustOf(state.trust[victim])).toBeGreaterThanOrEqual(500_000)
    expect(pullOf(state, validators, attackers)).toBeLessThan(1 / 3)
    expect(decide(state, factsOf(state, validators, [])).state.champion?.hotkey).toBe('m1')
  },
)
