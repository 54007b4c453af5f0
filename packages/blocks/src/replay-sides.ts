import {
  type Env,
  type Message,
  type PerSide,
  type ReplayedSide,
  replayFrom,
  replayGameFrom,
} from '@affine/envs'
import { type EvidenceResult, faultAt } from './fault.ts'

/** What was recorded of both sides of a challenge. */
type RecordedSides = PerSide<{ readonly messages: readonly Message[] }>

/**
 * What both sides' messages come to when they are played again, apart or as a game, or the first
 * thing that is wrong with them. Takes hostile data and never throws. Protocol §3.1.
 */
export function replaySides(
  env: Env,
  seed: bigint,
  { champion, contender }: RecordedSides,
): EvidenceResult<PerSide<ReplayedSide>> {
  if (env.spec.game !== undefined) {
    const recorded = { champion: champion.messages, contender: contender.messages }
    return replayGameFrom(env, seed, recorded)
  }
  const one = replayFrom(env, seed, champion.messages)
  if (!one.ok) return faultAt('champion', one)
  const other = replayFrom(env, seed, contender.messages)
  if (!other.ok) return faultAt('contender', other)
  return { ok: true, value: { champion: one.value, contender: other.value } }
}
