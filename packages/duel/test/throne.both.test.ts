import { expect, test } from 'vitest'
import crownings from '../../../vectors/duel/crowning.json?raw'
import { judgeEnvironment, PROTOCOL, type Weights } from '../src/index.ts'
import { mapValues } from '../src/own-keys.ts'
import { chooseBest, type WonDuel } from '../src/throne.ts'
import { miner, readTally } from './subnet.ts'

/** A crowning as vectors/duel/make.py writes it. */
interface Crowning {
  readonly weights: Weights
  readonly duels: readonly Readonly<
    Record<string, readonly Readonly<Record<string, readonly number[]>>[]>
  >[]
  /** `quotaMost` of each environment. */
  readonly most: number
  readonly want: number
}

const vectors: readonly Crowning[] = JSON.parse(crownings).vectors

/** Returns a won duel with the results of its environments. */
function wonBy(weights: Weights, duel: Crowning['duels'][number], place: number): WonDuel {
  const rule = PROTOCOL
  const rated = Object.entries(duel).map(([env, epochs]) => {
    const tallies = epochs.map((lanes) => mapValues(lanes, readTally))
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
    const constants = mapValues(PROTOCOL.envs, (each) => ({ ...each, quotaMost: most }))
    return contenders.indexOf(chooseBest(contenders, constants) as WonDuel)
  })
  expect(places.length).toBe(300)
  expect(places).toEqual(vectors.map(({ want }) => want))
})
