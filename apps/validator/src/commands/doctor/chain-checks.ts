import type { Chain, Snapshot } from '@affine/chain'
import { type Finding, fail, ok } from './finding.ts'

/** The chain answered with its newest block, within so many milliseconds. */
export function checkAnswer({ netuid, genesis }: Chain, { head }: Snapshot, ms: number): Finding {
  const answer = `subnet ${netuid}, block ${head.number}, in ${ms / 1000} s`
  return ok('chain', `${answer}; genesis ${genesis}`)
}

/** Do the clock here and the newest block, so many seconds old, go together? */
export function checkClock(seconds: number): Finding {
  const found = `the newest block is ${seconds} s old`
  // Final blocks are a few block times old.
  if (seconds >= -2 && seconds <= 120) return ok('clock', found)
  return fail('clock', found, 'set the clock, or take a node that keeps up')
}

/** How weights are set: nothing can be wrong with it. */
export function checkWeightsWay({ revealPeriod }: Snapshot): Finding {
  if (revealPeriod === 0) return ok('weights', 'set in the open')
  return ok('weights', `committed, and revealed ${revealPeriod} tempos later`)
}
