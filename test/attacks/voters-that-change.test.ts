/*
 * Stake moves during a duel to the honest validator whose lane is best for a liar's contender, or
 * joins as a new voter. Protocol §8.1, §8.6: each epoch has its own voters, weighted by the lesser
 * stake of two snapshots, and a third of the weight is trimmed from the contender's best lanes.
 */
import { expect, test } from 'vitest'
import { listTallies, type State, sumTallies } from '../../packages/duel/src/index.ts'
import { epochOf, MULT8, miner, type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { after, playDuels, votersOf } from './deciding.ts'

const DUELS = Number(process.env.DUELS ?? 40)
const validators = votersOf(7)
const [STAKE, MOVED] = [1000n, 3400n] as const

/** Returns the validator whose lane has the contender's greatest lead over the duel. */
function bestLane(state: State): string {
  const [duel] = state.duels
  const sums = duel ? sumTallies(listTallies(duel, MULT8, state.protocol)) : {}
  const leads = Object.entries(sums).map(
    ([voter, { wins, losses }]) => [voter, wins - losses] as const,
  )
  const [best] = leads.sort((a, b) => b[1] - a[1])
  return best?.[0] ?? validators[0] ?? ''
}

/** Plays duels of seven honest validators, with a third of all stake moved to the best lane. */
const play = (count: number, p: number) =>
  playDuels(count, startedDuels({ validators }), (state, draw) => {
    const stakes = { [bestLane(state)]: STAKE + MOVED }
    return epochOf(state, { validators, stakes, rates: draw(state, p) })
  })

test('crowns no contender at the ratio to beat when stake always moves to its best lane', () => {
  const { thrones, environments } = play(DUELS, 0.51)
  expect(thrones).toBe(0)
  expect(environments).toBeLessThanOrEqual(Math.ceil(0.1 * 2 * DUELS))
  expect(play(5, 0.6).thrones).toBe(5)
})

test('gives a validator that comes during a duel a vote and a lane from the epoch after the next', () => {
  const [liar, ...honest] = validators as [string, ...string[]]
  const scene: Scene = { rates: [0.5625, 0.4375], validators, stakes: { [liar]: 2000n } }
  const came = after(startedDuels({ validators: honest }), scene).state
  expect([Object.keys(came.voters), Object.keys(came.due)]).toEqual([honest, honest])
  const silent = after(came, { ...scene, silent: [liar] })
  expect(silent.report.frozen).toBe(false)
  const heard = after(came, scene).state
  expect([Object.keys(heard.voters), heard.voters[liar]]).toEqual([validators, 1_000_000])
})

test('neither counts nor requires the lanes of validators that have left the subnet', () => {
  const [gone, remaining] = [validators.slice(0, 2), validators.slice(2)]
  const started = startedDuels({ validators })
  // The two validators in `gone` report only wins, and leave before the next epoch.
  const rates: Scene['rates'] = (voter) => (gone.includes(voter) ? [1, 0] : [0.5, 0.5])
  const left = after(started, { validators, rates }).state
  const next = after(left, { validators: remaining, rates, miners: [miner('m1')] })
  expect(next.report.frozen).toBe(false)
  const last = after(next.state, { validators: remaining, rates })
  expect(Object.keys(last.state.voters)).toEqual(remaining)
  // A third of five lanes is trimmed. Each lane has 32, 64 and 128 challenges in the three epochs.
  expect(last.report.duels[0]?.envs[MULT8]?.win).toMatchObject({
    wins: 3_333_333n * 112n,
    trials: 3_333_333n * 224n,
  })
})
