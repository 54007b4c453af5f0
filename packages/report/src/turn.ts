import { type EnvSpec, extractAnswer, type Picture } from '@affine/envs'
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
  readonly reply: string | undefined
  /** Action in the reply; null without a readable reply. */
  readonly action: unknown
  /** Undefined unless the turn is a forfeit. */
  readonly forfeit?: 'no-reply' | 'unreadable' | 'illegal'
  /** Text about the reward that the reply gave away. Undefined if none is known. */
  readonly mistake?: string | undefined
}

export function judgeTurn(
  spec: EnvSpec,
  taken: Pick<Turn, 'observation' | 'reply' | 'action'>,
  isForfeit: boolean,
): Turn {
  const { explain } = spec
  const { observation, reply, action } = taken
  const prompt = spec.prompt(observation)
  const turn = {
    ...taken,
    prompt,
    role: explain?.role?.(observation),
    picture: explain?.picture?.(observation, action ?? undefined),
    best: explain?.best?.(observation) ?? [spec.parse(spec.solve(prompt))],
  }
  if (reply === undefined) return { ...turn, forfeit: 'no-reply' }
  if (action === null) return { ...turn, forfeit: 'unreadable' }
  if (isForfeit) return { ...turn, forfeit: 'illegal' }
  return { ...turn, mistake: describeMistake(spec, turn) }
}

/** Formats actions, as in "A1 or B2". */
const formatActions = (spec: EnvSpec, best: readonly unknown[]): string =>
  best.map((action) => spec.format(action)).join(' or ')

function describeBest(spec: EnvSpec, best: readonly unknown[]): string {
  const was = hasBestActions(spec) ? 'best was' : 'the scripted player would have replied'
  return `${was} ${formatActions(spec, best)}`
}

/** Reports whether the best actions are known. If not, the scripted player may be beatable. */
const hasBestActions = ({ explain }: EnvSpec): boolean => explain?.best !== undefined

/**
 * Describes the reward that an action gave away. Undefined if it gave none away, or if the worth of
 * actions is unknown.
 */
function describeMistake(spec: EnvSpec, turn: Turn): string | undefined {
  const { explain } = spec
  const { observation, action, best } = turn
  const worthOf = (taken: unknown): number => explain?.worth?.(observation, taken) ?? 0
  const [worth, taken, text] = [worthOf(best[0]), worthOf(action), formatActions(spec, best)]
  if (best.length === 0 || taken >= worth) return undefined
  if (!hasBestActions(spec)) return `worth ${taken}: the scripted player's is worth ${worth}`
  const given = spec.format(action)
  const away = explain?.worthText?.(worth) ?? `a reward of ${worth}`
  return `${given}, gave ${away} away: best was ${text}`
}

export interface EpisodeEnding {
  readonly why: string
  /** Lines of text that show the end. */
  readonly shown: readonly string[]
  /** A better reply or the reason to resign. Undefined if unknown, or stated in `why`. */
  readonly better: string | undefined
  /**
   * Number of replies after which the scripted player would resign in each turn of this side. Only
   * in a game that is lost without a forfeit.
   */
  readonly givenUpAfter?: number
}

/** Describes the ending of an episode by the turns of one side and the last observation. */
export function describeOutcome(
  spec: EnvSpec,
  played: { readonly turns: readonly Turn[]; readonly last: unknown; readonly reward: number },
): EpisodeEnding {
  const { turns, last, reward } = played
  const turn = turns.at(-1)
  // In a one-turn episode, the prompt already showed the last observation.
  const shown = spec.maxSteps === 1 ? [] : (spec.explain?.draw?.(last) ?? [])
  if (turn?.forfeit !== undefined) {
    const why = `forfeited: ${describeForfeit(turn)}`
    return { why, shown, better: describeBest(spec, turn.best) }
  }
  const ended = { before: turn?.observation, action: turn?.action, after: last, reward }
  const why = spec.explain?.ending?.(ended) ?? `reward ${reward}`
  const givenUp = reward === spec.lowestReward ? findGivenUp(spec, turns) : undefined
  return { why, shown, ...(givenUp ?? { better: describeFirstMistake(spec, turns) }) }
}

/**
 * Returns the number of replies after which the scripted player would resign, and a text with the
 * reason and, if it differs from the last of these replies, the scripted player's reply. Undefined
 * without a resignation, or without `whyGivenUp`.
 */
function findGivenUp(spec: EnvSpec, turns: readonly Turn[]) {
  const causes = turns.map(({ observation }) => spec.explain?.whyGivenUp?.(observation))
  const givenUpAfter = causes.lastIndexOf(undefined) + 1
  const cause = causes[givenUpAfter]
  if (cause === undefined) return undefined
  const resigns = 'the scripted player in its place would resign'
  const turn = turns[givenUpAfter - 1]
  if (turn === undefined) return { givenUpAfter, better: `${resigns} before any reply: ${cause}` }
  const [given, best] = [spec.format(turn.action), formatActions(spec, turn.best)]
  const text = `after reply ${givenUpAfter}, ${given}, ${resigns}: ${cause}`
  const better = given === best ? text : `${text}; it would have replied ${best}`
  return { givenUpAfter, better }
}

/**
 * Describes the first mistake, if any. Undefined for an episode of one reply: the outcome states
 * the best reply, or the only turn has the mistake.
 */
function describeFirstMistake({ maxSteps }: EnvSpec, turns: readonly Turn[]): string | undefined {
  const at = turns.findIndex(({ mistake }) => mistake !== undefined)
  if (at === -1 || maxSteps === 1) return undefined
  return `reply ${at + 1}, ${turns[at]?.mistake}`
}

/** Describes a forfeit, and quotes the last reply. */
function describeForfeit({ forfeit, reply = '' }: Turn): string {
  const answer = printable(extractAnswer(reply), 80)
  if (forfeit === 'illegal') return `"${answer}" is not allowed here`
  // Evidence does not state the cause, such as a late or unusable reply.
  if (forfeit === 'no-reply') return 'there was no usable reply in time'
  if (answer === '') return 'the reply is empty, and it must end with the answer'
  return `the last line, "${answer}", is not an answer`
}
