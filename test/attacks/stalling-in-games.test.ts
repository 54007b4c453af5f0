import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ChallengePair } from '../../packages/blocks/src/index.ts'
import { leadIn } from '../../packages/blocks/test/play-plan.ts'
import { PROTOCOL } from '../../packages/duel/src/index.ts'
import {
  CHAMPION,
  CLOCK_MS,
  replying,
  SAMPLING_MS,
  sampleGames,
} from '../../packages/engine/test/lanes.ts'
import type { MinerAgent } from '../../packages/miners/src/index.ts'
import { Clock } from '../simulate/clock.ts'
import { testFolder } from '../test-folder.ts'

/*
 * A champion uses the maximum of time in its games, so that the epoch ends before other games
 * begin: a game never begun is a tie. Protocol §5.4: each game has a clock and delays no other
 * game. All games begin long before the end, even if a player pretends to sleep.
 */
const root = testFolder('stalling')

let count = 0

type Player = (time: Clock) => MinerAgent

/** Samples a lane with the maximum of games on a fake clock. */
async function sampleLane(champion: Player, contender: Player = () => replying) {
  const time = new Clock()
  const [stalling, other] = [champion(time), contender(time)]
  const most = PROTOCOL.envs['hex@0.1.0']?.quotaMost ?? 0
  const games = await sampleGames(most, ({ hotkey }) => (hotkey === CHAMPION ? stalling : other), {
    time,
    journalPath: join(root, `${count++}`),
  })
  return { games, tookMs: time.now() }
}

/** Gives no answer before `wakesMs`. Then takes 20 seconds for each reply in a game. */
const stall =
  (wakesMs = 0): Player =>
  (time) =>
  async (messages, call) => {
    const pause = (ms: number) =>
      new Promise<void>((resolve) => {
        time.after(Math.max(0, ms), resolve)
        call?.end.addEventListener('abort', () => resolve())
      })
    await pause(wakesMs - time.now())
    if (call?.isGame) await pause(20_000)
    return call?.end.aborted ? { fault: 'no-reply' } : replying(messages)
  }

test('makes a silent champion lose each game by its clock, and every game begins', async () => {
  const silent: MinerAgent = (_, call) =>
    new Promise((resolve) => {
      const end = () => resolve({ fault: 'no-reply' })
      if (!call?.isGame) end()
      call?.end.addEventListener('abort', end)
    })
  const { games, tookMs } = await sampleLane(() => silent)
  expect(games.length).toBe(64)
  for (const game of games) {
    expect([game.champion.fault, game.contender.fault]).toEqual(['no-reply', undefined])
    expect(leadIn(game)).toBeGreaterThan(0)
  }
  // Two games begin in each sixth of a game clock.
  expect(tookMs).toBeLessThan(6.5 * CLOCK_MS)
})

test('makes a champion that pretends to sleep during all of sampling lose every game', async () => {
  const { games } = await sampleLane(stall(SAMPLING_MS))
  expect(games.map(leadIn)).toEqual(Array(64).fill(2))
})

test.each<[string, number, Player, Player | undefined]>([
  ['both players use nearly all of their clocks', 0.9, stall(), stall()],
  ['the champion pretends to sleep for 400 s and then stalls', 1, stall(400_000), undefined],
  ['the champion pretends to sleep for 2,000 s and then stalls', 1, stall(2_000_000), undefined],
  ['both players pretend to sleep and then stall', 1, stall(400_000), stall(1_000_000)],
])('begins every game when %s, within %f of sampling', async (_, most, champion, contender) => {
  const { games, tookMs } = await sampleLane(champion, contender)
  const hasBegun = ({ champion, contender }: ChallengePair) =>
    champion.messages.length + contender.messages.length > 0
  expect(games.filter(hasBegun).length).toBe(64)
  expect(tookMs).toBeLessThanOrEqual(most * SAMPLING_MS)
})
