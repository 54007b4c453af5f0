/*
 * Miners play badly for a chosen third of the validators, whose lanes become outliers. Protocol
 * §8.9: in an environment a validator gets no count, neither correct nor incorrect, only if its
 * lane is set aside in at least half of the duels, so that one accomplice among the contenders is
 * not enough.
 */
import { expect, test } from 'vitest'
import { computeTrust, decide, type State } from '../../packages/duel/src/index.ts'
import { epochOf, miner, type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { after, blockOf, votersOf } from './deciding.ts'

/** Shares of wins and losses, with too many wins for a hold. The victims' lanes have `BAD`. */
const CALM = [0.42, 0.34] as const
const BAD = [0, 0] as const

/** Returns the facts of the epoch that `state` governs, with one contender at a time. */
function factsOf(state: State, validators: readonly string[], victims: readonly string[]) {
  const name = state.duels[0]?.contender.hotkey ?? `k${state.epoch}`
  const miners = [miner('m1', 0), miner(name, 1)]
  const rates: Scene['rates'] = (voter) => (victims.includes(voter) ? BAD : CALM)
  return epochOf(state, { validators, miners, rates })
}

/** Returns the share of all trust that the first `count` validators of equal stake have. */
function trustShare({ trust }: State, validators: readonly string[], count: number): number {
  const trusts = validators.map((voter) => computeTrust(trust[voter]))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return sum(trusts.slice(0, count)) / sum(trusts)
}

test.each([
  [7, 2, 80],
  [16, 4, 40],
])(
  'with %i validators, leaves %i attackers at most a third of the weight after %i epochs',
  (size, attackers, epochs) => {
    const validators = votersOf(size)
    const victims = validators.slice(-Math.floor(size / 3))
    let state = startedDuels({ validators })
    let aside = 0
    for (let epoch = 0; epoch < epochs; epoch++) {
      const { state: next, report } = decide(state, factsOf(state, validators, victims))
      const reports = report.duels.flatMap(({ envs }) => Object.values(envs))
      aside += victims.filter((one) =>
        reports.some(({ setAside }) => setAside.includes(one)),
      ).length
      state = next
    }
    expect(aside).toBeGreaterThan(epochs)
    for (const victim of victims)
      expect(computeTrust(state.trust[victim])).toBeGreaterThanOrEqual(500_000)
    expect(trustShare(state, validators, attackers)).toBeLessThan(1 / 3)
  },
)

test('keeps the victims’ trust with one accomplice among three contenders', () => {
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
  expect(new Set(validators.map((voter) => computeTrust(state.trust[voter]))).size).toBe(1)
})
