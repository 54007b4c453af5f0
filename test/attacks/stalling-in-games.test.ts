import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ChallengePair } from '../../packages/blocks/src/index.ts'
import { leadIn } from '../../packages/blocks/test/play-plan.ts'
import { PROTOCOL } from '../../packages/duel/src/index.ts'
import { FakeTime } from '../../packages/engine/test/fake-time.ts'
import {
  CLOCK_MS,
  replying,
  SAMPLING_MS,
  sampleGames,
} from '../../packages/engine/test/game-lane.ts'
import { CHAMPION } from '../../packages/engine/test/lanes.ts'
import type { MinerAgent } from '../../packages/miners/src/index.ts'
import { testFolder } from '../test-folder.ts'

/*
 * A champion about to lose its throne takes all the time there is in each of its games, so that an
 * epoch ends before the others are begun: a game never begun is a tie. Protocol §5.4: it has a
 * clock for each game, and one that lasts holds up no other: all have begun long before the end,
 * also if it pretends to sleep, for which its games wait.
 */
const root = testFolder('stalling')

/** A lane of the most games that there are, on a clock that the test moves. */
async function laneAgainst(
  champion: (time: FakeTime) => MinerAgent,
  name: string,
  contender: (time: FakeTime) => MinerAgent = () => replying,
) {
  const time = new FakeTime()
  const [stalling, other] = [champion(time), contender(time)]
  const most = PROTOCOL.envs['hex@0.1.0']?.quotaMost ?? 0
  const games = await sampleGames(most, ({ hotkey }) => (hotkey === CHAMPION ? stalling : other), {
    time,
    journalPath: join(root, name),
  })
  return { games, tookMs: time.now() }
}

test('a champion that never replies loses each game by its own clock, and none is left unbegun', async () => {
  const { games, tookMs } = await laneAgainst(
    () => (_, call) =>
      new Promise((resolve) => {
        const giveUp = () => resolve({ fault: 'no-reply' })
        if (!call?.isGame) giveUp()
        call?.end.addEventListener('abort', giveUp)
      }),
    'never',
  )
  expect(games.length).toBe(64)
  for (const game of games) {
    expect([game.champion.fault, game.contender.fault]).toEqual(['no-reply', undefined])
    expect(leadIn(game)).toBeGreaterThan(0)
  }
  // Two begin in each sixth of a clock.
  expect(tookMs).toBeLessThan(6.5 * CLOCK_MS)
})

/** Takes 20 seconds for each reply in a game, which is nearly all of its clock. */
const dawdling =
  (time: FakeTime): MinerAgent =>
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

test('one that takes nearly all of its clock gains nothing by it', async () => {
  const { games, tookMs } = await laneAgainst(dawdling, 'nearly')
  expect(begunOf(games).length).toBe(64)
  expect(tookMs).toBeLessThan(0.9 * SAMPLING_MS)
})

test('two that do so in accord have every game begun, too', async () => {
  const { games, tookMs } = await laneAgainst(dawdling, 'both', dawdling)
  expect(begunOf(games).length).toBe(64)
  expect(tookMs).toBeLessThan(0.9 * SAMPLING_MS)
})

/** Answers nothing before `wakesMs`, and then as `agent`. */
const asleep =
  (wakesMs: number, agent: (time: FakeTime) => MinerAgent) =>
  (time: FakeTime): MinerAgent =>
  async (messages, call) => {
    await new Promise<void>((resolve) => {
      time.after(Math.max(0, wakesMs - time.now()), resolve)
      call?.end.addEventListener('abort', () => resolve())
    })
    return call?.end.aborted ? { fault: 'no-reply' } : agent(time)(messages, call)
  }

test('one that pretends to sleep for all of sampling loses every game', async () => {
  const { games } = await laneAgainst(asleep(SAMPLING_MS, dawdling), 'asleep')
  expect(games.map(leadIn)).toEqual(Array(64).fill(2))
})

test.each([300, 400, 1000, 2000])(
  'one that pretends to sleep for %i s, and then takes its time, leaves no game unbegun',
  async (seconds) => {
    const { games } = await laneAgainst(asleep(1000 * seconds, dawdling), `asleep-${seconds}`)
    expect(begunOf(games).length).toBe(64)
  },
)

test('two that do so in accord leave none unbegun', async () => {
  const champion = asleep(400_000, dawdling)
  const { games } = await laneAgainst(champion, 'accord', asleep(1_000_000, dawdling))
  expect(begunOf(games).length).toBe(64)
})
