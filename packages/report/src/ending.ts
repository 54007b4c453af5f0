import { answerOf, type EnvSpec, type Outcome } from '@affine/envs'
import { printable } from './text.ts'
import { actionsText, bestText, type Turn } from './turn.ts'

/** How an episode ended, for people: why, lines that show it, and what would have been better. */
export interface EpisodeEnding extends Outcome {
  /** Undefined when nothing would have been better. */
  readonly better: string | undefined
  /** Of a lost game, after how many replies the scripted player would have given it up. */
  readonly givenUpAfter?: number
}

/**
 * How a course ended, by its turns, the last observation and its reward; with a fault, if no usable
 * reply came.
 */
export function endingIn(
  spec: EnvSpec,
  played: { readonly turns: readonly Turn[]; readonly last: unknown; readonly reward: number },
  fault?: string,
): EpisodeEnding {
  const { turns, last, reward } = played
  const turn = turns.at(-1)
  const forfeit = fault ?? turn?.forfeit
  if (forfeit !== undefined) {
    const why = `forfeited: ${forfeitText(forfeit, turn?.reply ?? '', spec)}`
    const better = bestText(spec, turn?.best ?? [])
    return { why, shown: spec.explain?.draw?.(last) ?? [], better }
  }
  const ended = { before: turn?.observation, action: turn?.action, after: last, reward }
  const outcome = spec.explain?.ending?.(ended) ?? { why: `reward ${reward}`, shown: [] }
  const replies = reward === spec.lowestReward ? givenUpAfter(spec, turns) : undefined
  if (replies === undefined) return { ...outcome, better: betterIn(spec, turns) }
  return { ...outcome, better: givenUpText(spec, turns, replies), givenUpAfter: replies }
}

/**
 * After how many of a player's replies the scripted player would have given its game up, and never
 * taken that back; undefined if it would not have, or its environment does not say.
 */
function givenUpAfter(spec: EnvSpec, turns: readonly Turn[]): number | undefined {
  const isGivenUp = spec.explain?.isGivenUp
  if (isGivenUp === undefined) return undefined
  const replies = turns.map(({ observation }) => isGivenUp(observation)).lastIndexOf(false) + 1
  return replies < turns.length ? replies : undefined
}

/** The same in words, with what it would have replied instead. */
function givenUpText(spec: EnvSpec, turns: readonly Turn[], replies: number): string {
  const turn = turns[replies - 1]
  if (turn === undefined) return 'the scripted player gives this up before the first reply'
  const best = actionsText(spec, turn.best)
  const given = `the scripted player gives this up after reply ${replies}, ${turn.reply}`
  return turn.reply?.endsWith(best) ? given : `${given}: it would have replied ${best}`
}

/** The first mistake. In an episode of one reply the outcome itself says what was best. */
function betterIn({ maxSteps }: EnvSpec, turns: readonly Turn[]): string | undefined {
  const at = turns.findIndex(({ mistake }) => mistake !== undefined)
  if (at === -1 || maxSteps === 1) return undefined
  return `reply ${at + 1}, ${turns[at]?.mistake}`
}

const NO_REPLY = 'there was no usable reply'
/** Evidence does not tell these apart. */
const NONE_IN_TIME = `${NO_REPLY} in time: it was late, its clock ran out, or sampling ended`

/** Why an episode was forfeited, by the last reply. */
function forfeitText(forfeit: string, reply: string, { game }: EnvSpec): string {
  const answer = printable(answerOf(reply), 80)
  if (forfeit === 'illegal') return `"${answer}" is not allowed there`
  if (forfeit === 'no-reply') return game === undefined ? NO_REPLY : NONE_IN_TIME
  if (answer === '') return 'the reply is empty, and it must end with the answer'
  return `the last line, "${answer}", is no answer`
}
