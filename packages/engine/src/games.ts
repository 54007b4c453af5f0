import type { GameRules } from '@affine/envs'
import type { GameTime } from '@affine/miners'

/** So many games are under way at once. Protocol §5.4. */
export const GAMES_MOST = 32

/** How many clocks a sampling is as long as, at least. */
const CLOCKS = 5

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
