import type { EnvSpec } from '@affine/envs'

/** The best actions for an observation, by the environment's explanation or else its solver. */
export function bestActions(spec: EnvSpec, observation: unknown): readonly unknown[] {
  const best = spec.explain?.best?.(observation)
  return best ?? [spec.parse(spec.solve(spec.prompt(observation)))]
}

/** Those actions as they are written, as in "A1 or B2". */
export const bestText = (spec: EnvSpec, best: readonly unknown[]): string =>
  best.map((action) => spec.format(action)).join(' or ')

/** What an action gave away; undefined if nothing was better, or nothing is known about it. */
export function mistakeIn(spec: EnvSpec, { observation, action, best }: Taken): string | undefined {
  const { explain } = spec
  const worthOf = (taken: unknown): number => explain?.worth?.(observation, taken) ?? 0
  const worth = worthOf(best[0])
  if (best.length === 0 || worthOf(action) >= worth) return undefined
  const away = explain?.worthText?.(worth) ?? `a reward of ${worth}`
  return `${spec.format(action)}, gave ${away} away: best was ${bestText(spec, best)}`
}

/** An action, the observation for which it was taken, and the best actions there. */
interface Taken {
  readonly observation: unknown
  readonly action: unknown
  readonly best: readonly unknown[]
}
