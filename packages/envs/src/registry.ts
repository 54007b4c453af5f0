import type { Hash } from '@affine/prng'
import type { EnvSpec } from './definition.ts'
import { Env, expectOnly } from './env.ts'
import { requireRules } from './episode.ts'
import { hex } from './hex.ts'
import { mult8 } from './mult8.ts'
import { pack } from './pack.ts'
import { tictactoe } from './tictactoe.ts'

/**
 * What this package brings. A new environment, or a new version of one, is one more here; old
 * versions stay.
 */
const BUILT_IN: readonly EnvSpec[] = [tictactoe, mult8, hex, pack]

const specs = /* @__PURE__ */ new Map(/* @__PURE__ */ BUILT_IN.map((spec) => [spec.id, spec]))

/** Every registered specification by its exact id, in the order of registration. */
export const registry: ReadonlyMap<string, EnvSpec> = specs

/**
 * Adds a specification under its exact id; the same one again changes nothing.
 *
 * @throws RangeError if the id has another specification: a change is a new version.
 */
export function register(spec: EnvSpec): void {
  const known = specs.get(spec.id)
  if (known !== undefined && known !== spec)
    throw new RangeError(`"id" expected a new one, got "${spec.id}"`)
  specs.set(spec.id, spec)
}

/** What can be chosen of an environment. */
interface MakeOptions {
  /**
   * Of a game's scripted opponent: the share of its moves, 0 to 1, that it chooses well. The others
   * are legal moves drawn at random. Protocol §3.6.
   */
  readonly strength?: number | undefined
}

/**
 * A new `Env`, from an exact id, `tictactoe@0.1.0`, or Gymnasium's form: `tictactoe-v0` is the
 * newest registered 0.x.y. `strength` is for games of two players only, and 1 if it is left out.
 *
 * @throws RangeError for an id that is not registered, for a strength below 0 or above 1, and for
 * any where there is one player; TypeError for an option of another name.
 */
export function make(env: string, options: MakeOptions = {}): Env {
  expectOnly('make', options, ['strength'])
  const { strength } = options
  const spec = specs.get(env) ?? findNewest(env)
  if (spec === undefined)
    throw new RangeError(`"env" expected one of ${[...specs.keys()].join(', ')}, got "${env}"`)
  if (strength === undefined) return new Env(spec)
  if (!(strength >= 0 && strength <= 1))
    throw new RangeError(`"strength" expected 0 to 1, got ${strength}`)
  return new Env(Object.freeze({ ...spec, ...requireRules(spec).against(strength) }))
}

/** What `name-v0` stands for: the highest version of the name with this first number. */
function findNewest(alias: string): EnvSpec | undefined {
  const [, name, major] = /^(.+)-v([0-9]+)$/.exec(alias) ?? []
  const isOfMajor = (spec: EnvSpec): boolean =>
    spec.name === name && spec.version.startsWith(`${major}.`)
  return [...specs.values()]
    .filter(isOfMajor)
    .sort((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }))
    .at(-1)
}

/**
 * The hash of an environment's behaviour; see golden.ts for what it is made of. Takes the ids that
 * `make` takes. Protocol §3.5.
 */
export function specHash(env: string): Hash {
  return make(env).spec.specHash()
}
