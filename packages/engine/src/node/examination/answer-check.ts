import type { Miner } from '@affine/duel'
import { type Hear, whyNoAnswer } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
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
  const asked = performance.now()
  try {
    const ask = { ...NODE_CALLER, agents: (on: Hear) => agents(network, on), signal }
    const { templates } = network.protocol
    const why = await whyNoAnswer({ ...miner, templates }, ask)
    const ms = Math.ceil(performance.now() - asked)
    if (why === undefined) return ok('answer', `${miner.chute} gives a usable reply, in ${ms} ms`)
    return fail('answer', `${miner.chute} gives no usable reply`, why)
  } catch (error) {
    signal.throwIfAborted()
    const { message } = error as Error
    if (error instanceof RangeError) return warn('answer', 'the chute is not asked', message)
    return fail('answer', `${miner.chute} gives no usable reply`, message)
  }
}
