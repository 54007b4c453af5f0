import { once } from 'node:events'
import type { Clock } from '@affine/blocks'
import { type GameRules, make } from '@affine/envs'
import { digest, type Hash } from '@affine/prng'
import pLimit from 'p-limit'

/** The clock of a game is at most the time of sampling divided by this number. */
const CLOCKS = 6
/**
 * One in 32 of a contender's games starts immediately, and each game keeps its turn for up to a
 * sixth of a clock. So the last game starts within six clocks of the first, regardless of the
 * players.
 */
const [GAMES_A_TURN, TURN_CLOCKS] = [32, 1 / 6]

/** The time for the games of a lane. */
export interface GamesTime extends Clock {
  /** Estimated length of sampling in milliseconds. */
  readonly samplingMs: number
  /** Estimated end of sampling by this clock, in milliseconds. */
  readonly endsAt: number
}

/** Returns each side's time for all its replies in a game, in milliseconds. Protocol §5.4. */
export function limitClockMs({ clockMs }: GameRules, { samplingMs }: GamesTime): number {
  return Math.min(clockMs, Math.floor(samplingMs / CLOCKS))
}

/**
 * Reports whether both clocks of a game that begins now fit before sampling ends. Protocol §5.4.
 */
export function hasTimeLeft(rules: GameRules, time: GamesTime): boolean {
  return time.now() + 2 * limitClockMs(rules, time) <= time.endsAt
}

/** The schedule of one contender's games in a lane. */
export interface GameSchedule {
  /** Resolves when the first game may start. */
  readonly started: Promise<void>
  /** Starts a game in its turn. Resolves with its result. */
  readonly inTurn: <Result>(rules: GameRules, play: () => Promise<Result>) => Promise<Result>
}

/**
 * Returns the schedule of one contender's games. Schedules of several contenders do not wait for
 * each other. `quotas` may have environments without games. One game in 32 starts immediately,
 * another when a game has ended or has lasted a sixth of a clock.
 *
 * The games start once `awake` has resolved, but at the latest when all turns and two clocks just
 * fit before sampling ends, so every game starts even if a player sleeps. Protocol §5.4.
 */
export function planGames(
  quotas: Readonly<Record<string, number>>,
  time: GamesTime,
  awake: Promise<unknown>,
): GameSchedule {
  const played = Object.entries(quotas).flatMap(([env, quota]) => {
    const { game } = make(env).spec
    return game === undefined ? [] : { quota, clockMs: limitClockMs(game, time) }
  })
  const games = played.reduce((sum, { quota }) => sum + quota, 0)
  const atOnce = Math.max(1, Math.ceil(games / GAMES_A_TURN))
  const clocks = 2 + Math.ceil(games / atOnce) * TURN_CLOCKS
  const startsBy = time.endsAt - clocks * Math.max(0, ...played.map(({ clockMs }) => clockMs))
  const leftMs = startsBy - time.now()
  const begin = pLimit(atOnce)
  return {
    started: leftMs > 0 ? waitAtMost(leftMs, awake, time) : Promise.resolve(),
    inTurn: (rules, play) =>
      new Promise((resolve) => {
        const turn = async (): Promise<void> => {
          const game = play()
          resolve(game)
          await waitAtMost(TURN_CLOCKS * limitClockMs(rules, time), game, time)
        }
        begin(turn).catch(() => {}) // the caller receives the error of the game
      }),
  }
}

/**
 * Resolves when sampling starts: in the first tenth of its time, at a moment that follows from the
 * epoch's secret, so that validators do not all start together. Protocol §5.4.
 */
export async function awaitStart(secret: Hash, time: GamesTime, end: AbortSignal): Promise<void> {
  const share = Number.parseInt(digest('start', secret).slice(0, 8), 16) / 2 ** 32
  const startsAt = time.endsAt - (1 - share / 10) * time.samplingMs
  const leftMs = startsAt - time.now()
  if (leftMs > 0 && !end.aborted) await waitAtMost(leftMs, once(end, 'abort'), time)
}

/** Settles when a promise does, or resolves after `ms` milliseconds. */
async function waitAtMost(ms: number, promise: Promise<unknown>, { after }: Clock): Promise<void> {
  let stop = (): void => {}
  const timeout = new Promise<void>((resolve) => {
    stop = after(ms, resolve)
  })
  await Promise.race([promise, timeout]).finally(stop)
}
