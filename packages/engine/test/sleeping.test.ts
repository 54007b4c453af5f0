import { expect, it } from 'vitest'
import { Clock } from '../../../test/simulate/clock.ts'
import { testPaths } from '../../../test/test-folder.ts'
import type { LaneTask } from '../src/sampling.ts'
import { CHAMPION, CLOCK_MS, CONTENDER, REPLY_MS, replying, sampleGames } from './lanes.ts'

const freshJournal = testPaths('sleeping')

/** Resolves with true at `atMs`, or with false if `until` aborts before. */
const wait = (atMs: number, time: Clock, until?: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    time.after(Math.max(0, atMs - time.now()), () => resolve(true))
    until?.addEventListener('abort', () => resolve(false))
  })

/**
 * Plays the games of a lane on the main network. The player `sleeper` does not answer before
 * `wakesMs`. Returns the starting times of all games, and of the games that `sleeper` forfeited,
 * and the number of games that began.
 */
async function gamesWith(sleeper: string, wakesMs: number, games: number) {
  const time = new Clock()
  const began: number[] = []
  const forfeits: number[] = []
  const agent: LaneTask['agent'] = ({ hotkey }, replyMs) => {
    const beganMs = time.now()
    if (hotkey === sleeper && replyMs === REPLY_MS) began.push(beganMs)
    return async (messages, call) => {
      const isAwake = hotkey !== sleeper || time.now() >= wakesMs
      if (isAwake || (await wait(wakesMs, time, call?.end))) return replying(messages)
      forfeits.push(beganMs)
      return { fault: 'no-reply' }
    }
  }
  const hexes = await sampleGames(games, agent, { time, journalPath: freshJournal() })
  const isBegun = ({ champion, contender }: (typeof hexes)[number]): boolean =>
    champion.messages.length + contender.messages.length > 0
  return { began, forfeits, begun: hexes.filter(isBegun).length }
}

const sleepers = { champion: CHAMPION, contender: CONTENDER }

it.each([
  ['champion', 20, 64],
  ['contender', 5, 64],
  ['contender', 20, 8],
] as const)(
  'a %s that sleeps for %i minutes forfeits, of %i games, those begun over a clock before it wakes',
  async (role, minutes, games) => {
    const wakesMs = minutes * 60_000
    const { began, forfeits, begun } = await gamesWith(sleepers[role], wakesMs, games)
    expect(begun).toBe(games)
    expect(forfeits).toEqual(began.filter((beganMs) => beganMs < wakesMs - CLOCK_MS))
    // All turns of 64 games take 1,600 s, and two clocks 600 s: the games start after 392 s.
    expect(forfeits.length).toBe(role === 'champion' ? 22 : 0)
  },
)

it('games of awake players start immediately', async () => {
  const { began } = await gamesWith(CONTENDER, 0, 64)
  expect(Math.max(...began)).toBe(0)
})
