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

/** Samples a lane with the maximum of games on a fake clock. */
async function laneAgainst(
  champion: (time: Clock) => MinerAgent,
  name: string,
  contender: (time: Clock) => MinerAgent = () => replying,
) {
  const time = new Clock()
  const [stalling, other] = [champion(time), contender(time)]
  const most = PROTOCOL.envs['hex@0.1.0']?.quotaMost ?? 0
  const games = await sampleGames(most, ({ hotkey }) => (hotkey === CHAMPION ? stalling : other), {
    time,
    journalPath: join(root, name),
  })
  return { games, tookMs: time.now() }
}

test('a silent champion loses each game by its clock, and every game begins', async () => {
  const { games, tookMs } = await laneAgainst(
    () => (_, call) =>
      new Promise((resolve) => {
        const end = () => resolve({ fault: 'no-reply' })
        if (!call?.isGame) end()
        call?.end.addEventListener('abort', end)
      }),
    'never',
  )
  expect(games.length).toBe(64)
  for (const game of games) {
    expect([game.champion.fault, game.contender.fault]).toEqual(['no-reply', undefined])
    expect(leadIn(game)).toBeGreaterThan(0)
  }
  // Two games begin in each sixth of a game clock.
  expect(tookMs).toBeLessThan(6.5 * CLOCK_MS)
})

/** Takes 20 seconds for each reply in a game, which uses nearly all of its clock. */
const replySlowly =
  (time: Clock): MinerAgent =>
  async (messages, call) => {
    if (call?.isGame)
      await new Promise<void>((resolve) => {
        time.after(20_000, resolve)
        call.end.addEventListener('abort', () => resolve())
      })
    return call?.end.aborted ? { fault: 'no-reply' } : replying(messages)
  }

const begunOf = (games: readonly ChallengePair[]) =>
  games.filter(({ champion, contender }) =>
    [champion, contender].some(({ messages }) => messages.length > 0),
  )

test('begins every game when both players use nearly all of their clocks', async () => {
  const { games, tookMs } = await laneAgainst(replySlowly, 'both', replySlowly)
  expect(begunOf(games).length).toBe(64)
  expect(tookMs).toBeLessThan(0.9 * SAMPLING_MS)
})

/** Gives no answer before `wakesMs`, and then answers like `agent`. */
const replyLate =
  (wakesMs: number, agent: (time: Clock) => MinerAgent) =>
  (time: Clock): MinerAgent =>
  async (messages, call) => {
    await new Promise<void>((resolve) => {
      time.after(Math.max(0, wakesMs - time.now()), resolve)
      call?.end.addEventListener('abort', () => resolve())
    })
    return call?.end.aborted ? { fault: 'no-reply' } : agent(time)(messages, call)
  }

test('makes a champion that pretends to sleep during all of sampling lose every game', async () => {
  const { games } = await laneAgainst(replyLate(SAMPLING_MS, replySlowly), 'asleep')
  expect(games.map(leadIn)).toEqual(Array(64).fill(2))
})

test.each([400, 2000])(
  'begins every game when the champion pretends to sleep for %i s and then stalls',
  async (seconds) => {
    const { games } = await laneAgainst(replyLate(1000 * seconds, replySlowly), `asleep-${seconds}`)
    expect(begunOf(games).length).toBe(64)
  },
)

test('begins every game when both players pretend to sleep and then stall', async () => {
  const champion = replyLate(400_000, replySlowly)
  const { games } = await laneAgainst(champion, 'accord', replyLate(1_000_000, replySlowly))
  expect(begunOf(games).length).toBe(64)
})
