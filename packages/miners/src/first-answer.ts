import type { Miner } from '@affine/duel'
import { make, registry } from '@affine/envs'
import type { AgentOf } from './asking.ts'

/** How long a miner may be out of reach. */
const REACH_MS = 30_000

/**
 * Does a miner give a usable reply to one prompt, asked as validators ask it? What it says is not
 * judged. Rejects when `signal` aborts, and with what the agent rejects with.
 */
export async function doesAnswer(
  miner: Miner,
  agent: AgentOf,
  signal: AbortSignal,
): Promise<boolean> {
  const [env = ''] = registry.keys()
  const game = make(env)
  game.reset()
  const { replyMs } = game.spec
  const giveUp = AbortSignal.any([signal, AbortSignal.timeout(REACH_MS + replyMs)])
  const answer = await agent(miner, replyMs, giveUp)([{ role: 'user', content: game.render() }])
  signal.throwIfAborted()
  return 'content' in answer
}
