import type { Env, EnvSpec, Picture } from '@affine/envs'

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
  readonly reply: string | undefined
  /** The reply as an action; null if it cannot be read. */
  readonly action: unknown
  /** Why the reply is a forfeit, if it is one. */
  readonly forfeit: 'unreadable' | 'illegal' | undefined
  /** What the reply gave away; undefined if nothing, or if it is not known. */
  readonly mistake: string | undefined
}

/** A turn with its reply, if there is one. */
export function turnOf(
  { spec }: Env,
  observation: unknown,
  judged?: { readonly reply: string; readonly action: unknown; readonly isLegal: boolean },
): Turn {
  const best = bestActions(spec, observation)
  const seen = {
    prompt: spec.prompt(observation),
    observation,
    drawn: spec.explain?.draw?.(observation) ?? [],
    picture: spec.explain?.picture?.(observation, judged?.action ?? undefined),
    best,
  }
  const none = { reply: undefined, action: undefined, forfeit: undefined, mistake: undefined }
  if (judged === undefined) return { ...seen, ...none }
  const { reply, action, isLegal } = judged
  if (action === null) return { ...seen, ...none, reply, action, forfeit: 'unreadable' }
  if (!isLegal) return { ...seen, ...none, reply, action, forfeit: 'illegal' }
  const mistake = mistakeIn(spec, { observation, action }, best)
  return { ...seen, reply, action, forfeit: undefined, mistake }
}

/** The best actions for an observation, where they are known; else what its solver replies. */
function bestActions(spec: EnvSpec, observation: unknown): readonly unknown[] {
  const best = spec.explain?.best?.(observation)
  return best ?? [spec.parse(spec.solve(spec.prompt(observation)))]
}

/** Those actions as they are written, as in "A1 or B2". */
export const actionsText = (spec: EnvSpec, best: readonly unknown[]): string =>
  best.map((action) => spec.format(action)).join(' or ')

/** What would have been better than a reply that counts for nothing. */
export function bestText(spec: EnvSpec, best: readonly unknown[]): string {
  const text = actionsText(spec, best)
  return knowsBest(spec) ? `best was ${text}` : `the scripted player replies ${text}`
}

/** Without that its solver, the scripted player, may be beaten. */
const knowsBest = ({ explain }: EnvSpec): boolean => explain?.best !== undefined

/** What an action gave away; undefined if nothing was better, or nothing is known about it. */
function mistakeIn(
  spec: EnvSpec,
  { observation, action }: { readonly observation: unknown; readonly action: unknown },
  best: readonly unknown[],
): string | undefined {
  const { explain } = spec
  const worthOf = (taken: unknown): number => explain?.worth?.(observation, taken) ?? 0
  const [worth, taken, text] = [worthOf(best[0]), worthOf(action), actionsText(spec, best)]
  if (best.length === 0 || taken >= worth) return undefined
  const given = spec.format(action)
  if (!knowsBest(spec))
    return `${given}, earns ${taken}: the scripted player earns ${worth}, with ${text}`
  const away = explain?.worthText?.(worth) ?? `a reward of ${worth}`
  return `${given}, gave ${away} away: best was ${text}`
}
