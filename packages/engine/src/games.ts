import { once } from 'node:events'
import type { GameRules } from '@affine/envs'
import type { GameTime } from '@affine/miners'
import { digest, type Hash } from '@affine/prng'
import pLimit from 'p-limit'

/** How many clocks a sampling is as long as, at least. */
const CLOCKS = 5
/** So many games begin at once, and each keeps its turn for such a part of a clock. */
const [AT_ONCE, TURN_CLOCKS] = [8, 0.25]

/** The time there is for a lane's games. */
export interface GamesTime extends GameTime {
  /** How long the epoch's sampling is, and when it ends, by this time: an estimate. */
  readonly samplingMs: number
  readonly endsAt: number
}

/** What each side of a game has for all its replies, in milliseconds. Protocol §5.4. */
export function clockMsOf({ clockMs }: GameRules, { samplingMs }: GamesTime): number {
  return Math.min(clockMs, Math.floor(samplingMs / CLOCKS))
}

/** Do both clocks of a game that begins now fit before sampling ends? Protocol §5.4. */
export function hasRoom(rules: GameRules, time: GamesTime): boolean {
  return time.now() + 2 * clockMsOf(rules, time) <= time.endsAt
}

/**
 * Plays games in turn: one begins when another is over, or has lasted for a quarter of a clock. So
 * few are under way, and share what a miner can do, unless they take long. Protocol §5.4.
 */
export function gamesInTurn(
  time: GamesTime,
): <Played>(rules: GameRules, play: () => Promise<Played>) => Promise<Played> {
  const begin = pLimit(AT_ONCE)
  return (rules, play) =>
    new Promise((resolve) => {
      const turn = async (): Promise<void> => {
        const game = play()
        resolve(game)
        await within(TURN_CLOCKS * clockMsOf(rules, time), game, time)
      }
      begin(turn).catch(() => {}) // what the game rejects with is its caller's
    })
}

/**
 * Resolves when a lane's sampling begins: at a moment in the first tenth, which follows from the
 * epoch's secret, so that validators do not all call at once. Protocol §5.4.
 */
export async function startOf(secret: Hash, time: GamesTime, deadline: AbortSignal): Promise<void> {
  const share = Number.parseInt(digest('start', secret).slice(0, 8), 16) / 2 ** 32
  const startsAt = time.endsAt - (1 - share / 10) * time.samplingMs
  const leftMs = startsAt - time.now()
  if (leftMs > 0 && !deadline.aborted) await within(leftMs, once(deadline, 'abort'), time)
}

/** Resolves when something is over, and after so many milliseconds at the latest. */
async function within(ms: number, what: Promise<unknown>, { after }: GameTime): Promise<void> {
  let stop = (): void => {}
  const timeout = new Promise<void>((resolve) => {
    stop = after(ms, resolve)
  })
  await Promise.race([what, timeout]).finally(stop)
}
