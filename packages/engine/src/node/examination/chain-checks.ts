import type { Chain, Snapshot } from '@affine/chain'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Longer than the answer of a node on another continent takes. */
const SLOW_MS = 1000

/** The finding that the chain answered with its newest block, after so many milliseconds. */
export function checkAnswer({ netuid, genesis }: Chain, { head }: Snapshot, ms: number): Finding {
  const answer = `subnet ${netuid}, block ${head.number}, in ${ms / 1000} s`
  return ok('chain', `${answer}; genesis ${genesis}`)
}

/** Is the clock right? By it, the newest block is so many seconds old. */
export function checkClock(seconds: number): Finding {
  const found = `the newest block is ${seconds} s old`
  // A block becomes final a few block times after it was made.
  if (seconds >= -2 && seconds <= 120) return ok('clock', found)
  return fail('clock', found, 'set the clock, or take a node that keeps up')
}

/** How long the node takes for a small request: the median of three. */
export async function checkLatency(chain: Chain): Promise<Finding> {
  const times: number[] = []
  for (let i = 0; i < 3; i++) {
    const asked = performance.now()
    await chain.head()
    times.push(performance.now() - asked)
  }
  const [, ms = 0] = times.sort((a, b) => a - b)
  const found = `the node answers in ${Math.ceil(ms)} ms`
  if (ms <= SLOW_MS) return ok('latency', found)
  return warn('latency', found, 'a validator asks it hundreds of times an epoch: take a nearer one')
}

/** Does the chain's runtime have everything that the client uses? A local chain has no runtime. */
export async function checkRuntime(chain: Chain): Promise<readonly Finding[]> {
  const faults = await chain.runtimeFaults?.()
  if (faults === undefined) return []
  if (faults.length === 0) return [ok('runtime', 'has all that is asked of it')]
  const advice = 'look for a newer af, and try it before it sends anything'
  return faults.map((fault) => fail('runtime', fault, advice))
}

/** How weights are set. This is for information: it is never wrong. */
export function checkWeightsWay({ revealPeriod }: Snapshot): Finding {
  if (revealPeriod === 0) return ok('weights', 'set in the open')
  return ok('weights', `timelocked, and opened by the chain ${revealPeriod} tempos later`)
}
