import type { EnvSpec } from '@affine/envs'

/** The best actions for an observation, where they are known; else what its solver replies. */
export function bestActions(spec: EnvSpec, observation: unknown): readonly unknown[] {
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
export function mistakeIn(spec: EnvSpec, { observation, action, best }: Taken): string | undefined {
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

/** An action, the observation for which it was taken, and the best actions there. */
interface Taken {
  readonly observation: unknown
  readonly action: unknown
  readonly best: readonly unknown[]
}
