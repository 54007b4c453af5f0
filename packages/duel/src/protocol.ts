import type { Hash } from '@affine/prng'
import type { Rule } from '@affine/wilson'

const CONSTANTS = {
  /** `name@semver` → the digest of its behaviour. */
  envs: Object.freeze({
    'mult8@0.1.0': '8ffad8c375a3e28c431141fbd60e6b007da79116f0a0f9ea960fa4bed3c667dd',
    'tictactoe@0.1.0': 'a19f467002a3b4d36f3aac8f4f7f77c9d34b77c61f7aa724c4bb9379fbe8ce46',
  }) as Readonly<Record<string, Hash>>,
  /** The digest of the list of what miners' deployments may use. Protocol §5.4. */
  templates: '5c611b6f15eaf5bc80dc1ebefe0a3bdf63df8e33964320c1c73b4fcb2feb2263' as Hash,
  epochBlocks: 360,
  /** Blocks into an epoch at which the heads on chain close the lanes. */
  sealBlock: 240,
  /** Validators that a duel's weights can hold: the bits of an attestation. */
  validatorsMost: 128,
  /** One environment: decisive trials at most, at least, and z² of the Wilson bounds. */
  cap: 5000,
  minTrials: 10,
  zSquaredPpm: 8_122_500,
  /** z² of a win by the floor of all lanes, and both z² where one environment decides alone. */
  floorZSquaredPpm: 5_760_000,
  loneZSquaredPpm: 10_890_000,
  loneFloorZSquaredPpm: 8_122_500,
  /** K: of N environments the contender needs ⌈(N+K)/2⌉. */
  margin: 1,
  /**
   * Challenges a lane plays in each open environment: doubling from a duel's first epoch, up to the
   * most.
   */
  quotaFirst: 32,
  quotaMost: 512,
  duelEpochs: 8,
  /**
   * A lane is set aside whose proportion is further than √ of this many deviations from the
   * median lane's.
   */
  outlierZSquared: 36,
  /**
   * From this epoch of a duel, an environment whose median lane has a smaller share of decisive
   * trials is even.
   */
  evenEpoch: 3,
  evenPpm: 10_000,
  /** What is left of a validator's record after an epoch. */
  trustFadePpm: 937_500,
  ratioFloorPpm: 510_000,
  ratioCeilingPpm: 800_000,
  /** What is left of the ratio's excess over the floor after an epoch. */
  ratioDecayPpm: 951_695,
  /** z² of the bound that becomes the ratio to beat. */
  ratchetZSquaredPpm: 2_706_025,
}

/**
 * What a network agrees on: its environments and numbers. It is part of the state, so the state's
 * root commits to it. What is no number to choose is in the code: the half that attests, the two
 * thirds that thaw, the third that is trimmed. Protocol §9.2.
 */
export type Protocol = Readonly<typeof CONSTANTS>

/** The main network's. */
export const PROTOCOL: Protocol = Object.freeze(CONSTANTS)

/**
 * A local network's: short epochs, and a cap of 500 with the z calibrated for it (2.67).
 * Protocol §9.2.
 */
export const LOCAL: Protocol = Object.freeze({
  ...PROTOCOL,
  epochBlocks: 30,
  sealBlock: 20,
  cap: 500,
  zSquaredPpm: 7_128_900,
})

/** The rule of one environment, as `lookAt` and `judgeEnvironment` take it. */
export interface LaneRule extends Rule {
  readonly floorZSquaredPpm: bigint
  readonly outlierZSquared: bigint
}

/** The rule of an environment that decides with others under `protocol`. Protocol §8.6. */
export function ruleOf(protocol: Protocol): LaneRule {
  const { cap, minTrials, zSquaredPpm, floorZSquaredPpm, outlierZSquared } = protocol
  return {
    cap,
    minTrials,
    zSquaredPpm: BigInt(zSquaredPpm),
    floorZSquaredPpm: BigInt(floorZSquaredPpm),
    outlierZSquared: BigInt(outlierZSquared),
  }
}

/**
 * The rule of an environment that decides alone: nothing else has to go wrong for a false win of it
 * to be a false dethronement. Protocol §8.6.
 */
export function loneRuleOf(protocol: Protocol): LaneRule {
  return {
    ...ruleOf(protocol),
    zSquaredPpm: BigInt(protocol.loneZSquaredPpm),
    floorZSquaredPpm: BigInt(protocol.loneFloorZSquaredPpm),
  }
}

/**
 * Challenges a lane plays in each open environment in the `epochIndex`-th epoch (from 1) of a duel.
 * Protocol §8.2.
 */
export function quotaOf(epochIndex: number, { quotaFirst, quotaMost }: Protocol): number {
  return Math.min(quotaFirst * 2 ** (epochIndex - 1), quotaMost)
}
