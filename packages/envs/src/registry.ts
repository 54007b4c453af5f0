import type { Hash } from '@affine/prng'
import { Env, type EnvSpec } from './env.ts'
import { mult8 } from './mult8.ts'
import { tictactoe } from './tictactoe.ts'

/**
 * What this package brings. A new environment, or a new version of one, is one more here; old
 * versions stay.
 */
const BUILT_IN: readonly EnvSpec[] = [tictactoe, mult8]

const specs = /* @__PURE__ */ new Map(/* @__PURE__ */ BUILT_IN.map((spec) => [spec.id, spec]))

/** Every registered specification by its exact id, in the order of registration. */
export const registry: ReadonlyMap<string, EnvSpec> = specs

/**
 * Adds a specification under its exact id; the same one again changes nothing.
 *
 * @throws RangeError if the id has another specification: a change is a new version.
 */
export function register(spec: EnvSpec): void {
  if ((specs.get(spec.id) ?? spec) !== spec)
    throw new RangeError(`"id" expected a new one, got "${spec.id}"`)
  specs.set(spec.id, spec)
}

/**
 * A new `Env`, from an exact id, `tictactoe@0.1.0`, or Gymnasium's form: `tictactoe-v0` is the
 * newest registered 0.x.y.
 *
 * @throws RangeError for an id that is not registered.
 */
export function make(id: string): Env {
  const [, name, major] = /^(.+)-v([0-9]+)$/.exec(id) ?? []
  const versions = [...specs.values()].filter(
    (spec) => spec.name === name && spec.version.startsWith(`${major}.`),
  )
  versions.sort((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }))
  const spec = specs.get(id) ?? versions.at(-1)
  if (spec === undefined)
    throw new RangeError(`"id" expected one of ${[...specs.keys()].join(', ')}, got "${id}"`)
  return new Env(spec)
}

/**
 * The hash of an environment's behaviour; see spec.ts for what it is made of. Takes the ids that
 * `make` takes.
 */
export function specHash(id: string): Hash {
  return make(id).spec.specHash()
}
