import { expect, test } from 'vitest'
import crownings from '../../../vectors/duel/crowning.json?raw'
import { judgeEnvironment, PROTOCOL, type Tally, type Weights } from '../src/index.ts'
import { chooseBest, type WonDuel } from '../src/throne.ts'
import { miner } from './subnet.ts'

/** The format of vectors/duel/make.py. */
interface Crowning {
  readonly weights: Weights
  readonly duels: readonly Readonly<Record<string, readonly Readonly<Record<string, Counts>>[]>>[]
  /** The quotaMost of each environment. */
  readonly most: number
  readonly want: number
}
type Counts = readonly [number, number, number, number, number]

const vectors: readonly Crowning[] = JSON.parse(crownings).vectors

const tallyOf = ([wins, losses, played, contenderPoints, championPoints]: Counts): Tally => ({
  wins,
  losses,
  played,
  contenderPoints,
  championPoints,
})

/** Returns a won duel with the results of its environments. */
function wonBy(weights: Weights, duel: Crowning['duels'][number], place: number): WonDuel {
  const rule = PROTOCOL
  const rated = Object.entries(duel).map(([env, epochs]) => {
    const tallies = epochs.map((lanes) =>
      Object.fromEntries(Object.entries(lanes).map(([hotkey, lane]) => [hotkey, tallyOf(lane)])),
    )
    const evidence = judgeEnvironment({ weights, epochs: tallies, ratioPpm: 510_000, rule })
    return [env, { ...evidence, tallies: {}, given: undefined, cause: undefined, rule }] as const
  })
  const contender = miner(`m${place}`)
  const ended = { contender, start: 1, tallies: [], verdicts: {} }
  const won = { ...ended, epochIndex: 8, envs: {}, standing: 'won' } as const
  return { won, rated: Object.fromEntries(rated) }
}

test('three hundred crownings equal those of a second implementation', () => {
  const places = vectors.map(({ weights, duels, most }) => {
    const contenders = duels.map((duel, place) => wonBy(weights, duel, place))
    const constants = Object.entries(PROTOCOL.envs).map(([env, each]) => [
      env,
      { ...each, quotaMost: most },
    ])
    return contenders.indexOf(chooseBest(contenders, Object.fromEntries(constants)) as WonDuel)
  })
  expect(places.length).toBe(300)
  expect(places).toEqual(vectors.map(({ want }) => want))
})
