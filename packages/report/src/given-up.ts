import type { EnvSpec } from '@affine/envs'
import { actionsText } from './explained.ts'
import type { Turn } from './turn.ts'

/**
 * After how many of a player's replies the scripted player would have given its game up, and never
 * taken that back; undefined if it would not have, or its environment does not say.
 */
export function givenUpAfter(spec: EnvSpec, turns: readonly Turn[]): number | undefined {
  const isGivenUp = spec.explain?.isGivenUp
  if (isGivenUp === undefined) return undefined
  const replies = turns.map(({ observation }) => isGivenUp(observation)).lastIndexOf(false) + 1
  return replies < turns.length ? replies : undefined
}

/** The same in words, with what it would have replied instead. */
export function givenUpText(spec: EnvSpec, turns: readonly Turn[], replies: number): string {
  const turn = turns[replies - 1]
  if (turn === undefined) return 'the scripted player gives this up before the first reply'
  const best = actionsText(spec, turn.best)
  const given = `the scripted player gives this up after reply ${replies}, ${turn.reply}`
  return turn.reply?.endsWith(best) ? given : `${given}: it would have replied ${best}`
}
