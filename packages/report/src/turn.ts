import { answerOf, type Env, type EnvSpec, type Outcome, type Picture } from '@affine/envs'
import { printable } from './text.ts'

/** One turn of an episode: what was asked, what was replied, and what would have been best. */
export interface Turn {
  readonly prompt: string
  readonly observation: unknown
  /** The observation as lines of text; empty if its environment does not draw it. */
  readonly drawn: readonly string[]
  /** The same as a picture, with what the reply made of it; undefined without one. */
  readonly picture: Picture | undefined
  /** The best actions; that of the scripted player, where only it is known. */
  readonly best: readonly unknown[]
  /** Undefined if there is no reply. */
  readonly reply?: string
  /** The reply as an action; null if it cannot be read. */
  readonly action?: unknown
  /** Why the reply is a forfeit, if it is one. */
  readonly forfeit?: 'unreadable' | 'illegal'
  /** What the reply gave away; undefined if nothing, or if it is not known. */
  readonly mistake?: string | undefined
}

/** A turn with its reply, if there is one. */
export function judgeTurn(
  { spec }: Env,
  observation: unknown,
  judged?: { readonly reply: string; readonly action: unknown; readonly isLegal: boolean },
): Turn {
  const best = findBest(spec, observation)
  const seen = {
    prompt: spec.prompt(observation),
    observation,
    drawn: spec.explain?.draw?.(observation) ?? [],
    picture: spec.explain?.picture?.(observation, judged?.action ?? undefined),
    best,
  }
  if (judged === undefined) return seen
  const { reply, action, isLegal } = judged
  if (action === null) return { ...seen, reply, action, forfeit: 'unreadable' }
  if (!isLegal) return { ...seen, reply, action, forfeit: 'illegal' }
  return { ...seen, reply, action, mistake: describeMistake(spec, { observation, action }, best) }
}

/** The best actions for an observation, where they are known; else what its solver replies. */
function findBest(spec: EnvSpec, observation: unknown): readonly unknown[] {
  const best = spec.explain?.best?.(observation)
  return best ?? [spec.parse(spec.solve(spec.prompt(observation)))]
}

/** Those actions as they are written, as in "A1 or B2". */
const formatActions = (spec: EnvSpec, best: readonly unknown[]): string =>
  best.map((action) => spec.format(action)).join(' or ')

/** What would have been better than a reply that counts for nothing. */
function describeBest(spec: EnvSpec, best: readonly unknown[]): string {
  const text = formatActions(spec, best)
  return knowsBest(spec) ? `best was ${text}` : `the scripted player replies ${text}`
}

/** Without that its solver, the scripted player, may be beaten. */
const knowsBest = ({ explain }: EnvSpec): boolean => explain?.best !== undefined

/** What an action gave away; undefined if nothing was better, or nothing is known about it. */
function describeMistake(
  spec: EnvSpec,
  { observation, action }: { readonly observation: unknown; readonly action: unknown },
  best: readonly unknown[],
): string | undefined {
  const { explain } = spec
  const worthOf = (taken: unknown): number => explain?.worth?.(observation, taken) ?? 0
  const [worth, taken, text] = [worthOf(best[0]), worthOf(action), formatActions(spec, best)]
  if (best.length === 0 || taken >= worth) return undefined
  const given = spec.format(action)
  if (!knowsBest(spec))
    return `${given}, earns ${taken}: the scripted player earns ${worth}, with ${text}`
  const away = explain?.worthText?.(worth) ?? `a reward of ${worth}`
  return `${given}, gave ${away} away: best was ${text}`
}

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
export function describeOutcome(
  spec: EnvSpec,
  played: { readonly turns: readonly Turn[]; readonly last: unknown; readonly reward: number },
  fault?: string,
): EpisodeEnding {
  const { turns, last, reward } = played
  const turn = turns.at(-1)
  const forfeit = fault ?? turn?.forfeit
  if (forfeit !== undefined) {
    const why = `forfeited: ${describeForfeit(forfeit, turn?.reply ?? '', spec)}`
    const better = describeBest(spec, turn?.best ?? [])
    // The only reply of an episode left the observation as it was in the prompt.
    const shown = spec.maxSteps === 1 ? [] : (spec.explain?.draw?.(last) ?? [])
    return { why, shown, better }
  }
  const ended = { before: turn?.observation, action: turn?.action, after: last, reward }
  const outcome = spec.explain?.ending?.(ended) ?? { why: `reward ${reward}`, shown: [] }
  const replies = reward === spec.lowestReward ? countUntilGivenUp(spec, turns) : undefined
  if (replies === undefined) return { ...outcome, better: describeFirstMistake(spec, turns) }
  return { ...outcome, better: describeGivenUp(spec, turns, replies), givenUpAfter: replies }
}

/**
 * After how many of a player's replies the scripted player would have given its game up, and never
 * taken that back; undefined if it would not have, or its environment does not say.
 */
function countUntilGivenUp(spec: EnvSpec, turns: readonly Turn[]): number | undefined {
  const isGivenUp = spec.explain?.isGivenUp
  if (isGivenUp === undefined) return undefined
  const replies = turns.map(({ observation }) => isGivenUp(observation)).lastIndexOf(false) + 1
  return replies < turns.length ? replies : undefined
}

/** The same in words, with what it would have replied instead. */
function describeGivenUp(spec: EnvSpec, turns: readonly Turn[], replies: number): string {
  const turn = turns[replies - 1]
  if (turn === undefined) return 'the scripted player gives this up before the first reply'
  const [given, best] = [spec.format(turn.action), formatActions(spec, turn.best)]
  const text = `the scripted player gives this up after reply ${replies}, ${given}`
  return given === best ? text : `${text}: it would have replied ${best}`
}

/** The first mistake. In an episode of one reply the outcome itself says what was best. */
function describeFirstMistake({ maxSteps }: EnvSpec, turns: readonly Turn[]): string | undefined {
  const at = turns.findIndex(({ mistake }) => mistake !== undefined)
  if (at === -1 || maxSteps === 1) return undefined
  return `reply ${at + 1}, ${turns[at]?.mistake}`
}

const NO_REPLY = 'there was no usable reply'
/** Evidence does not tell these apart. */
const NONE_IN_TIME = `${NO_REPLY} in time: it was late, its clock ran out, or sampling ended`

/** Why an episode was forfeited, by the last reply. */
function describeForfeit(forfeit: string, reply: string, { game }: EnvSpec): string {
  const answer = printable(answerOf(reply), 80)
  if (forfeit === 'illegal') return `"${answer}" is not allowed there`
  if (forfeit === 'no-reply') return game === undefined ? NO_REPLY : NONE_IN_TIME
  if (answer === '') return 'the reply is empty, and it must end with the answer'
  return `the last line, "${answer}", is no answer`
}
