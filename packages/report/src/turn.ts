import { type Env, type EnvSpec, extractAnswer, type Outcome, type Picture } from '@affine/envs'
import { printable } from './text.ts'

/** One turn of an episode: the prompt, the reply and the best actions. */
export interface Turn {
  readonly prompt: string
  readonly observation: unknown
  /** Mark and goal of the mover, if the environment has them. */
  readonly role: string | undefined
  /**
   * The observation as a picture, with the effect of the reply, if the environment has pictures.
   */
  readonly picture: Picture | undefined
  /** Best actions or, if they are unknown, the scripted player's action. */
  readonly best: readonly unknown[]
  /** Undefined without a reply. */
  readonly reply?: string
  /** Action in the reply; null if the reply is unreadable. */
  readonly action?: unknown
  /** Undefined unless the reply is a forfeit. */
  readonly forfeit?: 'unreadable' | 'illegal'
  /** Loss that the reply caused, if it caused a known loss. */
  readonly mistake?: string | undefined
}

export function judgeTurn(
  { spec }: Env,
  observation: unknown,
  judged?: { readonly reply: string; readonly action: unknown; readonly isLegal: boolean },
): Turn {
  const best = findBest(spec, observation)
  const seen = {
    prompt: spec.prompt(observation),
    observation,
    role: spec.explain?.role?.(observation),
    picture: spec.explain?.picture?.(observation, judged?.action ?? undefined),
    best,
  }
  if (judged === undefined) return seen
  const { reply, action, isLegal } = judged
  if (action === null) return { ...seen, reply, action, forfeit: 'unreadable' }
  if (!isLegal) return { ...seen, reply, action, forfeit: 'illegal' }
  return { ...seen, reply, action, mistake: describeMistake(spec, { observation, action }, best) }
}

/** Returns the best actions or, if they are unknown, the scripted player's action. */
function findBest(spec: EnvSpec, observation: unknown): readonly unknown[] {
  const best = spec.explain?.best?.(observation)
  return best ?? [spec.parse(spec.solve(spec.prompt(observation)))]
}

/** Formats actions, as in "A1 or B2". */
const formatActions = (spec: EnvSpec, best: readonly unknown[]): string =>
  best.map((action) => spec.format(action)).join(' or ')

function describeBest(spec: EnvSpec, best: readonly unknown[]): string {
  const text = formatActions(spec, best)
  return hasBestActions(spec)
    ? `best was ${text}`
    : `the scripted player would have replied ${text}`
}

/** Reports whether the best actions are known. If not, the scripted player may be beatable. */
const hasBestActions = ({ explain }: EnvSpec): boolean => explain?.best !== undefined

/**
 * Describes the loss that an action caused. Undefined without a loss, or if the worth of actions is
 * unknown.
 */
function describeMistake(
  spec: EnvSpec,
  { observation, action }: { readonly observation: unknown; readonly action: unknown },
  best: readonly unknown[],
): string | undefined {
  const { explain } = spec
  const worthOf = (taken: unknown): number => explain?.worth?.(observation, taken) ?? 0
  const [worth, taken, text] = [worthOf(best[0]), worthOf(action), formatActions(spec, best)]
  if (best.length === 0 || taken >= worth) return undefined
  if (!hasBestActions(spec)) return `worth ${taken}: the scripted player's is worth ${worth}`
  const given = spec.format(action)
  const away = explain?.worthText?.(worth) ?? `a reward of ${worth}`
  return `${given}, gave ${away} away: best was ${text}`
}

export interface EpisodeEnding extends Outcome {
  /** A better reply or the reason to resign. Undefined if unknown, or stated in `why`. */
  readonly better: string | undefined
  /**
   * Number of replies after which the scripted player would resign, in that and every later turn.
   * Only in a lost game.
   */
  readonly givenUpAfter?: number
}

/** Describes the ending of an episode. `fault` is given if no usable reply came. */
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
    // In a one-turn episode, the prompt showed the last observation.
    const shown = spec.maxSteps === 1 ? [] : (spec.explain?.draw?.(last) ?? [])
    return { why, shown, better }
  }
  const ended = { before: turn?.observation, action: turn?.action, after: last, reward }
  const outcome = spec.explain?.ending?.(ended) ?? { why: `reward ${reward}`, shown: [] }
  const givenUp = reward === spec.lowestReward ? findGivenUp(spec, turns) : undefined
  return { ...outcome, ...(givenUp ?? { better: describeFirstMistake(spec, turns) }) }
}

/**
 * Returns the number of replies after which the scripted player would resign, and a text with the
 * reason and, if it differs, the scripted player's last reply. Undefined without a resignation, or
 * without `whyGivenUp`.
 */
function findGivenUp(spec: EnvSpec, turns: readonly Turn[]) {
  const causes = turns.map(({ observation }) => spec.explain?.whyGivenUp?.(observation))
  const givenUpAfter = causes.lastIndexOf(undefined) + 1
  const cause = causes[givenUpAfter]
  if (cause === undefined) return undefined
  const turn = turns[givenUpAfter - 1]
  if (turn === undefined)
    return {
      givenUpAfter,
      better: `the scripted player in its place would resign before any reply: ${cause}`,
    }
  const [given, best] = [spec.format(turn.action), formatActions(spec, turn.best)]
  const reply = `after reply ${givenUpAfter}, ${given}`
  const resigns = `${reply}, the scripted player in its place would resign: ${cause}`
  const better = given === best ? resigns : `${resigns}; it would have replied ${best}`
  return { givenUpAfter, better }
}

/**
 * Describes the first mistake, if any. Undefined for an episode of one reply: the outcome states
 * the best reply.
 */
function describeFirstMistake({ maxSteps }: EnvSpec, turns: readonly Turn[]): string | undefined {
  const at = turns.findIndex(({ mistake }) => mistake !== undefined)
  if (at === -1 || maxSteps === 1) return undefined
  return `reply ${at + 1}, ${turns[at]?.mistake}`
}

const NO_REPLY = 'there was no usable reply'
/** Evidence does not distinguish these causes. */
const NONE_IN_TIME = `${NO_REPLY}: it was late, the player's clock ran out, or sampling ended`

/** Describes a forfeit, and quotes the last reply. */
function describeForfeit(forfeit: string, reply: string, { game }: EnvSpec): string {
  const answer = printable(extractAnswer(reply), 80)
  if (forfeit === 'illegal') return `"${answer}" is not allowed here`
  if (forfeit === 'no-reply') return game === undefined ? NO_REPLY : NONE_IN_TIME
  if (answer === '') return 'the reply is empty, and it must end with the answer'
  return `the last line, "${answer}", is not an answer`
}
