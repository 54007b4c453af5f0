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

/** The same duels where the second environment is one of two players, and where neither is. */
const envsWith = (players: number): Protocol['envs'] => ({
  [MULT8]: constantsOf(MULT8),
  [TICTACTOE]: { ...constantsOf(TICTACTOE), players },
})
const MINERS = [miner('m1', 1), miner('m2', 2)]

/** A duel whose epochs are all like this; what it leaves. */
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

test('a duel that is won by games alone leaves the ratio at the floor, and no rate of them', () => {
  const games = dueled(2, WON_BY_GAMES)
  expect([games.champion?.hotkey, games.ratio]).toEqual(['m2', games.protocol.ratioFloorPpm])
  expect(games.record).toEqual({ [MULT8]: 0 })
  const others = dueled(1, WON_BY_GAMES)
  expect(others.champion?.hotkey).toBe('m2')
  expect(others.ratio).toBeGreaterThan(700_000)
  expect(others.record).toEqual({ [MULT8]: 0, [TICTACTOE]: 787_237 }) // for 29 of 32
})
