import { expect, test } from 'vitest'
import { decide, type Protocol, type State } from '../src/index.ts'
import {
  constantsOf,
  epochOf,
  MAIN,
  MULT8,
  miner,
  type Scene,
  startedDuels,
  TICTACTOE,
} from './subnet.ts'

/** Returns the same environments with `players` players in the second one. */
const envsWith = (players: number): Protocol['envs'] => ({
  [MULT8]: constantsOf(MULT8),
  [TICTACTOE]: { ...constantsOf(TICTACTOE), players },
})
const MINERS = [miner('m1', 1), miner('m2', 2)]

/** Returns the state after a duel whose epochs are all identical. */
function dueled(players: number, scene: Scene): State {
  const played = { ...scene, miners: MINERS, protocol: { ...MAIN, envs: envsWith(players) } }
  let state = startedDuels(played)
  expect(state.duels).toHaveLength(1)
  while (state.duels.length > 0) state = decide(state, epochOf(state, played)).state
  return state
}

/** The contender wins nine tenths in the second environment; all of the first is tied. */
const WON_BY_GAMES: Scene = {
  rates: (_, env) => (env === TICTACTOE ? [0.9, 0.1] : [0, 0]),
}

test('a duel won only by games leaves the ratio at the floor, and records none of their rates', () => {
  const games = dueled(2, WON_BY_GAMES)
  expect([games.champion?.hotkey, games.ratio]).toEqual(['m2', games.protocol.ratioFloorPpm])
  expect(games.record).toEqual({ [MULT8]: 0 })
  const others = dueled(1, WON_BY_GAMES)
  expect(others.champion?.hotkey).toBe('m2')
  expect(others.ratio).toBeGreaterThan(700_000)
  expect(others.record).toEqual({ [MULT8]: 0, [TICTACTOE]: 787_237 }) // for 29 of 32
})
