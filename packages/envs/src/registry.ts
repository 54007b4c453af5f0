import type { Hash } from '@affine/prng'
import type { EnvSpec } from './definition.ts'
import { Env } from './env.ts'
import { requireRules } from './episode.ts'
import { hex } from './hex.ts'
import { mult8 } from './mult8.ts'
import { pack } from './pack.ts'
import { tictactoe } from './tictactoe.ts'

const specs = new Map<string, EnvSpec>()

/** Every registered specification by its exact id, in the order of registration. */
export const registry: ReadonlyMap<string, EnvSpec> = specs

/**
 * Adds a specification under its exact id. Adding it again has no effect.
 *
 * @throws RangeError if the id belongs to another specification: a change needs a new version.
 */
export function register(spec: EnvSpec): void {
  const known = specs.get(spec.id)
  if (known !== undefined && known !== spec)
    throw new RangeError(`"id" expected an id of no other environment, got "${spec.id}"`)
  specs.set(spec.id, spec)
}

// The environments of this package. Old versions are never removed.
for (const spec of [tictactoe, mult8, hex, pack]) register(spec)

interface MakeOptions {
  /**
   * Strength of a game's scripted opponent: the share of its moves, 0 to 1, that it chooses well.
   * The others are random legal moves. Default: 1. Protocol §3.6.
   */
  readonly strength?: number | undefined
}

/**
 * Returns a new `Env` for an exact id, `tictactoe@0.1.0`, or Gymnasium's form: `tictactoe-v0` is
 * the newest registered 0.x.y. `strength` applies only to games of two players.
 *
 * @throws RangeError for an id that is not registered, a strength outside 0 to 1, and a strength
 *   for an environment of one player.
 */
export function make(env: string, { strength }: MakeOptions = {}): Env {
  const spec = specs.get(env) ?? findNewest(env)
  if (spec === undefined)
    throw new RangeError(`"env" expected one of ${[...specs.keys()].join(', ')}, got "${env}"`)
  if (strength === undefined) return new Env(spec)
  if (!(strength >= 0 && strength <= 1))
    throw new RangeError(`"strength" expected 0 to 1, got ${strength}`)
  return new Env(Object.freeze({ ...spec, ...requireRules(spec).against(strength) }))
}

/** Returns the newest specification of an alias `name-v0`, or undefined if there is none. */
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
 * Returns the hash of an environment's behaviour in its golden episodes. Accepts the ids that
 * `make` accepts. Protocol §3.5.
 */
export function specHash(env: string): Hash {
  return make(env).spec.specHash()
}

type EnvIdentities = Readonly<Record<string, { readonly specHash: Hash; readonly players: number }>>

/**
 * Checks that the environments of a network are registered here with the same behaviour.
 *
 * @throws RangeError for the first environment that is missing, or has another specHash or number
 *   of players.
 */
export function expectEnvs(envs: EnvIdentities): void {
  for (const [id, expected] of Object.entries(envs)) {
    const spec = specs.get(id)
    const players = spec?.game === undefined ? 1 : 2
    const here = spec ? `has ${describe({ specHash: spec.specHash(), players })}` : 'is missing'
    const wanted = describe(expected)
    if (here === `has ${wanted}`) continue
    throw new RangeError(
      `the network plays ${id} with ${wanted}, but here it ${here}, so its challenges cannot be ` +
        'replayed: name the module of the network with --env-module of af or af-verify',
    )
  }
}

const describe = ({ specHash, players }: EnvIdentities[string]): string =>
  `specHash ${specHash} and players ${players}`
