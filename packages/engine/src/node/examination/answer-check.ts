import type { Miner } from '@affine/duel'
import { type AgentOf, doesAnswer, type Hear } from '@affine/miners'
import type { Network } from '@affine/settlement'
import type { Examination } from './examination.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

interface AnswerCheck extends Pick<Examination, 'agents'> {
  readonly network: Network
  readonly signal: AbortSignal
}

/** Does what a miner committed answer? */
export async function checkAnswers(
  miner: Miner,
  { agents, network, signal }: AnswerCheck,
): Promise<Finding> {
  const whys: string[] = []
  const on: Hear = (event) => {
    if (event.type === 'problem') whys.push(event.error.message)
  }
  let agent: AgentOf
  try {
    agent = agents(network, on)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return warn('answer', 'the chute is not asked', error.message)
  }
  try {
    const asked = performance.now()
    if (await doesAnswer(miner, agent, signal)) {
      const ms = Math.ceil(performance.now() - asked)
      return ok('answer', `${miner.chute} gives a usable reply, in ${ms} ms`)
    }
  } catch (error) {
    signal.throwIfAborted()
    whys.push((error as Error).message)
  }
  const advice = whys.at(-1) ?? '`af practise` shows what comes'
  return fail('answer', `${miner.chute} gives no usable reply`, advice)
}
