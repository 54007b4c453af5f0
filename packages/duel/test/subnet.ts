import {
  type Candidate,
  type Counts,
  computeQuotas,
  type Duel,
  type DuelSnapshot,
  decide,
  type EnvConstants,
  encodeBitmap,
  type Facts,
  firstState,
  type Lanes,
  type LaneTally,
  LOCAL,
  PROTOCOL,
  type Protocol,
  type State,
  stateRoot,
  type Tally,
  toTally,
} from '../src/index.ts'
import { mapValues } from '../src/own-keys.ts'

/** Returns a miner with a commitment that no other hotkey has. */
export const miner = (hotkey: string, block = 1, revision = 'main'): Candidate => ({
  hotkey,
  model: `models/${hotkey}`,
  revision,
  chute: `chutes/${hotkey}`,
  block,
  registered: 0,
})

export const MULT8 = 'mult8@0.1.0'
export const TICTACTOE = 'tictactoe@0.1.0'
export const ENVS: readonly string[] = [MULT8, TICTACTOE]

/** Returns the main network's constants of an environment. */
export function constantsOf(env: string): EnvConstants {
  const constants = PROTOCOL.envs[env]
  if (constants === undefined) throw new Error(`the main network does not play ${env}`)
  return constants
}

/** Returns the constants with these quotas in every environment. */
export function withQuota(
  protocol: Protocol,
  quotaFirst: number,
  quotaMost: number = quotaFirst,
): Protocol {
  const envs = mapValues(protocol.envs, (each) => ({ ...each, quotaFirst, quotaMost }))
  return { ...protocol, envs }
}

/** The environments of these tests, with the main network's constants. */
const envs = { [MULT8]: constantsOf(MULT8), [TICTACTOE]: constantsOf(TICTACTOE) }
export const MAIN: Protocol = { ...PROTOCOL, envs }
export const OTHER: Protocol = { ...LOCAL, envs }
/** Returns a tally in which the winner of a challenge earns all points. */
export const scored = (counts: Counts): Tally => ({
  ...counts,
  contenderPoints: 1_000_000 * counts.wins,
  championPoints: 1_000_000 * counts.losses,
})
/** Returns a tally from its form in vectors. */
export const readTally = ([
  wins = 0,
  losses = 0,
  played = 0,
  ...points
]: readonly number[]): Tally => toTally([wins, losses, points[0] ?? 0, points[1] ?? 0], played)

export const HEAD: string = 'b'.repeat(64)
export const NEXT: string = 'c'.repeat(64)

/** Returns the bitmap of some of an epoch's voters. */
export function bitmapOf({ voters }: State, hotkeys: readonly string[]): Uint8Array {
  return encodeBitmap(voters, new Set(hotkeys))
}

/**
 * Returns a lane of the epoch that `state` governs, with the tally of `tallyFor` for each
 * contender, environment and quota.
 */
export function laneOf(
  state: State,
  tallyFor: (played: number, env: string, contender: string) => LaneTally,
): Lanes[string] {
  return mapValues(computeQuotas(state), (quotas, contender) =>
    mapValues(quotas, (played, env) => tallyFor(played, env, contender)),
  )
}

export interface Scene {
  readonly validators?: readonly string[]
  readonly miners?: readonly Candidate[]
  /**
   * Validators whose lanes are valid but not sealed. The lanes of `broken` are sealed but void; the
   * lanes of `unattested` are not attested.
   */
  readonly unsealed?: readonly string[]
  readonly broken?: readonly string[]
  readonly unattested?: readonly string[]
  /** Validators without an attestation. */
  readonly silent?: readonly string[]
  /** Stakes by validator. Default: 1000. */
  readonly stakes?: Readonly<Record<string, bigint>>
  /** Hotkeys missing from the snapshot. */
  readonly unregistered?: readonly string[]
  /** Constants from the next epoch on. Default: `MAIN`. */
  readonly protocol?: Protocol
  /** Shares of the quota that are wins and losses: of all lanes, or by lane. Default: none. */
  readonly rates?: Rates | ((validator: string, env: string, contender: string) => Rates)
  /** Share of the points that each miner earned. Default: the winner of a challenge has all. */
  readonly points?: (validator: string, env: string, contender: string) => Points
}
type Rates = readonly [wins: number, losses: number]
type Points = readonly [contender: number, champion: number]

/** Returns the number of a duel's frozen epochs. Protocol §8.3. */
export const frozenIn = ({ tallies }: Pick<Duel, 'tallies'> = { tallies: [] }): number =>
  tallies.filter((epoch) => Object.keys(epoch).length === 0).length

/**
 * Returns the state of a network's second epoch, the first with voters: m1 is champion, without
 * duels.
 */
export function crownedFirst(scene: Scene = {}): State {
  const first = firstState(scene.protocol ?? MAIN, 10)
  return decide(first, epochOf(first, scene)).state
}

/**
 * Returns the state of epoch 12: m1 is champion, and m2 and any other miners are in the first epoch
 * of their duels.
 */
export function startedDuels(scene: Scene = {}): State {
  const crowned = crownedFirst(scene)
  return decide(crowned, epochOf(crowned, scene)).state
}

/**
 * Returns the facts of the epoch that `state` governs, in which everyone agrees, except as `scene`
 * states.
 */
export function epochOf(state: State, scene: Scene = {}): Facts {
  const { validators = ['v1', 'v2', 'v3', 'v4'], miners = [miner('m1', 1), miner('m2', 2)] } = scene
  const { unsealed = [], broken = [], unattested = [], silent = [], rates = [0, 0] } = scene
  const lane = (validator: string) =>
    laneOf(state, (played, env, contender) => {
      const share = typeof rates === 'function' ? rates(validator, env, contender) : rates
      const [wins, losses] = [Math.round(share[0] * played), Math.round(share[1] * played)]
      const points = scene.points?.(validator, env, contender) ?? [wins / played, losses / played]
      const [own, other] = points.map((part) => Math.round(part * played * 1_000_000))
      return [wins, losses, own ?? 0, other ?? 0]
    })
  const whole = validators.filter((validator) => !broken.includes(validator))
  const bitmap = bitmapOf(
    state,
    whole.filter((validator) => !unattested.includes(validator)),
  )
  const attest = { epoch: state.epoch, bitmap, next: NEXT, stateRoot: stateRoot(state) }
  const snapshot: DuelSnapshot = {
    epoch: state.epoch + 1,
    protocol: scene.protocol ?? MAIN,
    hotkeys: [...validators, ...miners.map(({ hotkey }) => hotkey)].filter(
      (hotkey) => !scene.unregistered?.includes(hotkey),
    ),
    validators: validators.map((hotkey) => ({
      hotkey,
      stake: scene.stakes?.[hotkey] ?? 1000n,
      ...(!silent.includes(hotkey) && { attest }),
    })),
    miners,
  }
  const sealed = validators.filter((validator) => !unsealed.includes(validator))
  return {
    snapshot,
    seals: Object.fromEntries(sealed.map((validator) => [validator, HEAD])),
    lanes: Object.fromEntries(whole.map((validator) => [validator, lane(validator)])),
  }
}
