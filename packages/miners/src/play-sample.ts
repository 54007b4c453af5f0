import type { ChallengePair, Clock, Episode, LaneChallenge, Sample } from '@affine/blocks'
import { type Agent, make, type PerSide, play, playGame, SIDES, unbegunGame } from '@affine/envs'
import type { MinerAgent } from './asking.ts'
import { NO_REPLY } from './miner-client.ts'

export interface AnsweringMiner {
  readonly hotkey: string
  readonly agent: Agent
}

/** Plays a challenge of one player with a miner. Protocol §3.1, §5.4. */
export async function playEpisode(
  { env, challengeId }: LaneChallenge,
  { hotkey, agent }: AnsweringMiner,
  now: () => number,
): Promise<Episode> {
  const started = now()
  const transcript = await play(make(env), challengeId, agent)
  return { miner: hotkey, ...transcript, ms: Math.max(0, now() - started) }
}

/**
 * Plays one challenge with both miners: concurrently and independently, or as a game, in which `ms`
 * is the time of the whole game. Protocol §3.1, §5.4.
 */
export async function playPair(
  challenge: LaneChallenge,
  players: PerSide<AnsweringMiner>,
  now: () => number,
): Promise<ChallengePair> {
  const { spec } = make(challenge.env)
  if (spec.game === undefined) {
    const apart = SIDES.map((side) => playEpisode(challenge, players[side], now))
    const [champion, contender] = (await Promise.all(apart)) as [Episode, Episode]
    return { ...challenge, champion, contender }
  }
  const started = now()
  const agents = { champion: players.champion.agent, contender: players.contender.agent }
  const game = await playGame({ spec }, challenge.challengeId, agents)
  const ms = Math.max(0, now() - started)
  const champion = { miner: players.champion.hotkey, ...game.champion, ms }
  const contender = { miner: players.contender.hotkey, ...game.contender, ms }
  return { ...challenge, champion, contender }
}

/** Returns the sample of a game that was not begun for lack of time. Protocol §3.1, §5.4. */
export function skipGame(challenge: LaneChallenge, hotkeys: PerSide<string>): ChallengePair {
  const game = unbegunGame(make(challenge.env))
  const champion = { miner: hotkeys.champion, ...game.champion, ms: 0 }
  const contender = { miner: hotkeys.contender, ...game.contender, ms: 0 }
  return { ...challenge, champion, contender }
}

/** Returns a sample as if `miners` had never replied. Protocol §5.4. */
export async function removeReplies(sample: Sample, miners: readonly string[]): Promise<Sample> {
  if (!('miner' in sample)) return muteGame(sample, miners)
  const { env, index, challengeId, miner, ms } = sample
  if (!miners.includes(miner)) return sample
  const silent = await play(make(env), challengeId, () => NO_REPLY)
  return { env, index, challengeId, miner, ms, ...silent }
}

/**
 * Returns a game as if `miners` had never replied: it ends at the first prompt of such a player,
 * and is not begun if both players are in `miners`. The game is unchanged if they never replied.
 */
async function muteGame(game: ChallengePair, miners: readonly string[]): Promise<ChallengePair> {
  const { champion, contender, ...challenge } = game
  const silent = SIDES.filter((side) => miners.includes(game[side].miner))
  if (silent.length === 2)
    return skipGame(challenge, { champion: champion.miner, contender: contender.miner })
  if (!silent.some((side) => game[side].messages.length > 1)) return game
  const playerOf = ({ miner, messages }: Episode): AnsweringMiner => {
    const [, first] = messages
    const answer = miners.includes(miner) || first === undefined ? NO_REPLY : first
    return { hotkey: miner, agent: () => answer }
  }
  const players = { champion: playerOf(champion), contender: playerOf(contender) }
  return playPair(challenge, players, () => 0)
}

/**
 * Returns the agent of one side in one game, with a clock of `ms` milliseconds for all of its
 * replies. The clock runs from a prompt to the reply, during failures and waiting too. There is no
 * reply once the clock has run out or `signal` has aborted. Protocol §5.4.
 */
export function limitByClock(
  agent: MinerAgent,
  { ms, now, after, signal }: Clock & { readonly ms: number; readonly signal: AbortSignal },
): Agent {
  let left = ms
  return async (messages) => {
    const startedMs = now()
    const timeout = new AbortController()
    const stop = after(left, () => timeout.abort())
    const end = AbortSignal.any([signal, timeout.signal])
    try {
      const answer = await agent(messages, { end, isGame: true })
      left -= now() - startedMs
      return left < 0 ? NO_REPLY : answer
    } finally {
      stop()
    }
  }
}
