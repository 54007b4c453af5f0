import { once } from 'node:events'
import type { Clock } from '@affine/blocks'
import { type GameRules, make } from '@affine/envs'
import { digest, type Hash } from '@affine/prng'
import pLimit from 'p-limit'

/** How many clocks a sampling is as long as, at least. */
const CLOCKS = 6
/**
 * Of so many of a contender's games one begins at once, and keeps its turn for such a part of a
 * clock: whatever players do, the last begins within six clocks of the first.
 */
const [GAMES_A_TURN, TURN_CLOCKS] = [32, 1 / 6]

/** The time there is for a lane's games. */
export interface GamesTime extends Clock {
  /** How long the epoch's sampling is, and when it ends, by this time: an estimate. */
  readonly samplingMs: number
  readonly endsAt: number
}

/** What each side of a game has for all its replies, in milliseconds. Protocol §5.4. */
export function limitClockMs({ clockMs }: GameRules, { samplingMs }: GamesTime): number {
  return Math.min(clockMs, Math.floor(samplingMs / CLOCKS))
}

/** Do both clocks of a game that begins now fit before sampling ends? Protocol §5.4. */
export function hasTimeLeft(rules: GameRules, time: GamesTime): boolean {
  return time.now() + 2 * limitClockMs(rules, time) <= time.endsAt
}

/** Begins a game in its turn, and resolves with its result. */
type PlayInTurn = <Played>(rules: GameRules, play: () => Promise<Played>) => Promise<Played>

/** The games of one contender in a lane. */
export interface GameSchedule {
  /** Resolves when the first may begin. */
  readonly started: Promise<void>
  readonly inTurn: PlayInTurn
}

/**
 * Plays the games of one contender, which plays `quotas`, by environment, in turn: one begins when
 * another is over, or has lasted for a sixth of a clock. So few are under way, and share what a
 * miner can do, unless they take long. Other contenders' games have turns of their own, so that
 * none waits for them.
 *
 * They start once `awake` has resolved, or when all turns and two clocks just fit before sampling
 * ends: every game begins, however long a player sleeps. Protocol §5.4.
 */
export function scheduleGames(
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
        begin(turn).catch(() => {}) // what the game rejects with is its caller's
      }),
  }
}

/**
 * Resolves when a lane's sampling begins: at a moment in the first tenth, which follows from the
 * epoch's secret, so that validators do not all call at once. Protocol §5.4.
 */
export async function waitForStart(
  secret: Hash,
  time: GamesTime,
  deadline: AbortSignal,
): Promise<void> {
  const share = Number.parseInt(digest('start', secret).slice(0, 8), 16) / 2 ** 32
  const startsAt = time.endsAt - (1 - share / 10) * time.samplingMs
  const leftMs = startsAt - time.now()
  if (leftMs > 0 && !deadline.aborted) await waitAtMost(leftMs, once(deadline, 'abort'), time)
}

/** Resolves when something is over, and after so many milliseconds at the latest. */
async function waitAtMost(ms: number, what: Promise<unknown>, { after }: Clock): Promise<void> {
  let stop = (): void => {}
  const timeout = new Promise<void>((resolve) => {
    stop = after(ms, resolve)
  })
  await Promise.race([what, timeout]).finally(stop)
}
