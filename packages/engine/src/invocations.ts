import { setTimeout as sleep } from 'node:timers/promises'
import type { MinerAgent } from '@affine/miners'
import type { Entry } from './lane-journal.ts'

type AgentAnswer = Awaited<ReturnType<MinerAgent>>

/**
 * Wraps the agents of one lane so that no invocation id occurs twice in the lane, including its
 * journal. A reply whose id was used before is asked for again, a second or two later, until the
 * deadline, or the call's own end. Protocol §5.4.
 */
export function distinctAgents(
  entries: readonly Entry[],
  deadline: AbortSignal,
): (agent: MinerAgent) => MinerAgent {
  const used = new Set<string>()
  for (const { sample } of entries) {
    for (const { invocation } of [...sample.champion.messages, ...sample.contender.messages]) {
      if (invocation !== undefined) used.add(invocation)
    }
  }

  const isNew = (answer: AgentAnswer): boolean => {
    if ('fault' in answer || answer.invocation === undefined) return true
    if (used.has(answer.invocation)) return false
    used.add(answer.invocation)
    return true
  }

  return (agent) => async (messages, until) => {
    for (;;) {
      const answer = await agent(messages, until)
      if (isNew(answer)) return answer
      const pauseMs = 1000 * (1 + Math.random())
      await sleep(pauseMs, undefined, { signal: until ?? deadline }).catch(() => {})
    }
  }
}
