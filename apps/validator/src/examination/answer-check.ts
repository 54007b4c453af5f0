import type { Miner } from '@affine/duel'
import { doesAnswer, type Hear } from '@affine/miners'
import type { Network } from '@affine/settlement'
import { shown } from '@affine/terminal'
import { agentsOf } from '../service/agents.ts'
import { NO_KEY } from '../settings/settings.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

interface AnswerCheck {
  readonly on: Hear
  readonly network: Network
  readonly signal: AbortSignal
}

/**
 * Does a miner give a usable reply, asked once as a validator would: on Chutes with CHUTES_API_KEY?
 * Rejects with a RangeError without that.
 */
export async function isAnswering(
  miner: Miner,
  { network, signal, on }: AnswerCheck,
): Promise<boolean> {
  const told = { chutesApiKey: process.env.CHUTES_API_KEY, concurrency: 1 }
  return doesAnswer(miner, agentsOf(network, told, on), signal)
}

/** Does what a miner committed answer? */
export async function checkAnswers(
  miner: Miner,
  asking: Omit<AnswerCheck, 'on'>,
): Promise<Finding> {
  const { network, signal } = asking
  if (network.platform === 'chutes' && !process.env.CHUTES_API_KEY)
    return warn('answer', 'the chute is not asked', NO_KEY)
  const whys: string[] = []
  const on: Hear = (event) => {
    if (event.type === 'problem') whys.push(event.error.message)
  }
  const chute = shown(miner.chute)
  try {
    const asked = performance.now()
    if (await isAnswering(miner, { ...asking, on })) {
      const ms = Math.ceil(performance.now() - asked)
      return ok('answer', `${chute} gives a usable reply, in ${ms} ms`)
    }
  } catch (error) {
    signal.throwIfAborted()
    whys.push((error as Error).message)
  }
  const advice = whys.at(-1) ?? '`af practise` shows what comes'
  return fail('answer', `${chute} gives no usable reply`, advice)
}
