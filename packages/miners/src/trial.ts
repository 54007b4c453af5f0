import type { Hash } from '@affine/prng'
import type { AgentOf } from './asking.ts'
import type { Asked } from './deployment/deployment.ts'
import { within } from './first-answer.ts'
import type { GameTime } from './game-clock.ts'
import { judgeReplies, type ReplyCounts } from './reply-counts.ts'
import { practise, soloChallenge } from './solo.ts'

/** What is played with a miner, of each environment; how much of it at once, and until when. */
const [TRIAL_CHALLENGES, TRIAL_AHEAD, TRIAL_MS] = [8, 8, 900_000]

/** How a miner is tried. */
interface TrialOptions {
  readonly agents: AgentOf
  readonly envs: readonly string[]
  /** 64 hex digits, from which the challenges follow. */
  readonly secret: Hash
  readonly time: GameTime
  readonly signal: AbortSignal
}

/**
 * Plays eight challenges of each environment with a miner, asked as validators ask it, and judges
 * its replies. What has none after a quarter of an hour has none. Rejects when `signal` aborts.
 */
export async function tryMiner(
  miner: Asked,
  { agents, envs, secret, ...playing }: TrialOptions,
): Promise<readonly (ReplyCounts & { readonly env: string })[]> {
  const until = within(TRIAL_MS, playing.signal)
  const player = { agent: (replyMs: number) => agents(miner, replyMs, until) }
  const exercises = envs.flatMap((env) =>
    Array.from({ length: TRIAL_CHALLENGES }, (_, index) => ({
      env,
      challengeId: soloChallenge(env, secret, index),
    })),
  )
  const journal = { entries: [], append: async () => {} }
  const run = { exercises, journal, player, ahead: TRIAL_AHEAD, on: () => {} }
  const played = await practise({ ...playing, ...run })
  return envs.map((env) => ({ env, ...judgeReplies(played.filter((each) => each.env === env)) }))
}
