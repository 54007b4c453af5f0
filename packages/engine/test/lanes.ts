import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ChallengePair, NO_BLOCK, type Scope } from '@affine/blocks'
import { type Account, account, BLOCK_MS } from '@affine/chain'
import { PROTOCOL } from '@affine/duel'
import { make } from '@affine/envs'
import { type MinerAgent, playerReply, type TargetMiner } from '@affine/miners'
import { SECRET, scopeOf as scopeFor } from '../../../packages/blocks/test/lane.ts'
import { pairsOf } from '../../../packages/blocks/test/play-plan.ts'
import type { Clock } from '../../../test/simulate/clock.ts'
import { samplingBlocks, type writeLane } from '../src/own-lane.ts'
import { type LaneTask, sampleLane } from '../src/sampling.ts'

export { CHAMPION, CONTENDER, SECRET } from '../../../packages/blocks/test/lane.ts'
export const VALIDATOR: Account = account(new Uint8Array(32).fill(7))

export const HEX = 'hex@0.1.0'
export const MULT8 = 'mult8@0.1.0'
const { spec } = make(HEX)

export const REPLY_MS: number = spec.replyMs
export const CLOCK_MS: number = spec.game?.clockMs ?? 0
/** Length of sampling on the main network in milliseconds. */
export const SAMPLING_MS: number = samplingBlocks(PROTOCOL) * BLOCK_MS

/** Returns the scope of a lane of `VALIDATOR` in a duel's epoch. */
export const scopeOf = (quota: Readonly<Record<string, number>>, quotas?: Scope['quotas']): Scope =>
  scopeFor(VALIDATOR.hotkey, quota, quotas)

/** Returns the argument of `writeLane` for a lane, without the samples. */
export function headerOf(scope: Scope): Omit<Parameters<typeof writeLane>[0], 'samples'> {
  const { genesis, netuid, validator, epoch } = scope
  const common = { genesis, netuid, validator, epoch, time: 1_760_000_000_000 }
  return { ...common, prev: NO_BLOCK, secret: SECRET, sign: VALIDATOR.sign }
}

export const minerOf = (hotkey: string, more: Partial<TargetMiner> = {}): TargetMiner => ({
  ...{ hotkey, model: 'm', revision: 'main', chute: '', templates: PROTOCOL.templates },
  ...more,
})

/** Replies as a perfect player; in games as the scripted player. */
export const replying: MinerAgent = (messages) => {
  const prompt = messages.at(-1)?.content ?? ''
  // Most prompts are of hex, and `playerReply` would first try all other environments.
  if (prompt.startsWith('Hex')) return { content: spec.solve(prompt) }
  return { content: playerReply(prompt, { skill: 1, seed: '' }) }
}

/** Returns the task of a lane. By default, all miners reply as `replying`. */
export function taskOf(
  task: Partial<LaneTask> & Pick<LaneTask, 'scope' | 'journalPath' | 'gamesTime'>,
): LaneTask {
  const { champion, quotas } = task.scope
  return {
    miners: [champion, ...Object.keys(quotas)].map((hotkey) => minerOf(hotkey)),
    secret: SECRET,
    agent: () => replying,
    deadline: new AbortController().signal,
    now: () => 0,
    on: () => {},
    ...task,
  }
}

/** Returns the games of a lane with the times of the main network, on a clock that it advances. */
export async function sampleGames(
  games: number,
  agent: LaneTask['agent'],
  { time, journalPath }: Pick<LaneTask, 'journalPath'> & { readonly time: Clock },
): Promise<readonly ChallengePair[]> {
  const phase = new AbortController()
  const scope = scopeOf({ [HEX]: games, [MULT8]: 8 })
  const gamesTime = { ...time, samplingMs: SAMPLING_MS, endsAt: SAMPLING_MS }
  const task = taskOf({ scope, journalPath, gamesTime, agent, deadline: phase.signal })
  let isOver = false
  const sampling = sampleLane(task).finally(() => {
    isOver = true
  })
  while (!isOver) {
    await nextTurn()
    if (time.next !== undefined) time.skip(1000)
    if (time.now() >= SAMPLING_MS) phase.abort()
  }
  const { samples } = await sampling
  return pairsOf(samples).filter(({ env }) => env === HEX)
}
