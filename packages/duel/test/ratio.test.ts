import { pcg64 } from '@affine/prng'
import { expect, test } from 'vitest'
import { HEX, SKILLS } from '../bench/crown.ts'
import { drawGames, drawSolo } from '../bench/lists.ts'
import { decide, PROTOCOL, type State } from '../src/index.ts'
import { crownedFirst, epochOf, laneOf, miner, type Scene } from './subnet.ts'

const VOTERS = ['v1', 'v2', 'v3', 'v4']
const { good, better } = SKILLS['.50']

/**
 * Returns the ratio to beat, in ppm, after `lost` miners as good as the champion have lost, and one
 * that wins .6 of the decisive challenges is crowned.
 */
function ratioAfter(lost: number, seed: number): number {
  const random = pcg64(seed)
  const copies = Array.from({ length: lost }, (_, i) => miner(`copy ${i}`, i + 1))
  const miners = [miner('champion'), ...copies, miner('rival', lost + 1)]
  const scene: Scene = { validators: VOTERS, miners, protocol: PROTOCOL }
  let state: State = crownedFirst(scene)
  while (state.champion?.hotkey !== 'rival') {
    const lanes = VOTERS.map((voter) => {
      const lane = laneOf(state, (played, env, contender) => {
        const isRival = contender === 'rival'
        if (env === HEX) return drawGames(played, isRival ? 0.6 : 0.45, random)
        return drawSolo(played, { contender: isRival ? better : good, champion: good }, random)
      })
      return [voter, lane] as const
    })
    state = decide(state, { ...epochOf(state, scene), lanes: Object.fromEntries(lanes) }).state
  }
  return state.ratio
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

test.each([
  [0, 12],
  [8, 12],
])(
  'a rival of p = .6 is crowned after %i lost duels: the mean ratio of %i runs is .55 or more',
  (lost, runs) => {
    const ratios = Array.from({ length: runs }, (_, seed) => ratioAfter(lost, seed))
    expect(meanOf(ratios)).toBeGreaterThanOrEqual(550_000)
  },
)
