import type { EnvSpec, Outcome } from '@affine/envs'
import { bestText } from './explained.ts'
import { givenUpAfter, givenUpText } from './given-up.ts'
import { printable } from './text.ts'
import type { Turn } from './turn.ts'

/** How an episode ended, for people: why, lines that show it, and what would have been better. */
export interface EpisodeEnding extends Outcome {
  /** Undefined when nothing would have been better. */
  readonly better: string | undefined
  /** Of a lost game, after how many replies the scripted player would have given it up. */
  readonly givenUpAfter?: number
}

/** A played episode: its turns, the last observation, and its reward. */
interface EndedEpisode {
  readonly turns: readonly Turn[]
  readonly last: unknown
  readonly reward: number
}

/** How a course ended; with a fault, if no usable reply came. */
export function endingIn(
  spec: EnvSpec,
  { turns, last, reward }: EndedEpisode,
  fault?: string,
): EpisodeEnding {
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
  const line = printable(reply.slice(reply.lastIndexOf('\n') + 1), 80)
  if (forfeit === 'illegal') return `"${line}" is not allowed there`
  if (forfeit === 'oversize') return 'the reply has more than 4096 bytes'
  if (forfeit === 'no-reply') return game === undefined ? NO_REPLY : NONE_IN_TIME
  if (line === '') return 'the last line is empty, and it must be the answer'
  return `the last line, "${line}", is no answer`
}
