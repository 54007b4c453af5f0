import type { Hash } from '@affine/prng'
import type { Rule } from '@affine/wilson'

/**
 * The numbers a network agrees on. They are part of the state, so the state's root commits to them. What is
 * not a number to choose, the half that attests, the two thirds that thaw, the third that is trimmed, is in the code:
 * the safety argument is made of those.
 */
export type Protocol = {
  /** The environments played, `name@semver` → the digest of their behaviour. */
  readonly envs: Readonly<Record<string, Hash>>
  readonly epochBlocks: number
  /** Blocks into an epoch at which the heads on chain close the lanes. */
  readonly sealBlock: number
  /** Validators that a duel's weights can hold: the bits of an attestation. */
  readonly validatorsMost: number
  /** One environment: decisive trials at most, at least, and z² of the Wilson bounds. */
  readonly cap: number
  readonly minTrials: number
  readonly zSquaredPpm: number
  /** K: of N environments the contender needs ⌈(N+K)/2⌉. */
  readonly margin: number
  /** Challenges a lane plays in each open environment: doubling from the first epoch of a duel, up to the most. */
  readonly quotaFirst: number
  readonly quotaMost: number
  readonly duelEpochs: number
  /** A lane is set aside when its proportion is more than √ of this many deviations from the median lane's. */
  readonly outlierZSquared: number
  /** From this epoch of a duel, an environment whose median lane has a smaller share of decisive trials is even. */
  readonly evenEpoch: number
  readonly evenPpm: number
  readonly trustFadePpm: number
  readonly ratioFloorPpm: number
  readonly ratioCeilingPpm: number
  /** What is left of the ratio's excess over the floor after an epoch. */
  readonly ratioDecayPpm: number
  /** z² of the bound that becomes the ratio to beat. */
  readonly ratchetZSquaredPpm: number
}

/** The main network's. */
export const PROTOCOL: Protocol = Object.freeze({
  envs: Object.freeze({
    'mult8@0.1.0': '8ffad8c375a3e28c431141fbd60e6b007da79116f0a0f9ea960fa4bed3c667dd',
    'tictactoe@0.1.0': 'a19f467002a3b4d36f3aac8f4f7f77c9d34b77c61f7aa724c4bb9379fbe8ce46',
  }),
  epochBlocks: 360,
  sealBlock: 240,
  validatorsMost: 128,
  cap: 5000,
  minTrials: 10,
  zSquaredPpm: 8_122_500,
  margin: 1,
  quotaFirst: 32,
  quotaMost: 512,
  duelEpochs: 8,
  outlierZSquared: 36,
  evenEpoch: 3,
  evenPpm: 10_000,
  trustFadePpm: 937_500,
  ratioFloorPpm: 510_000,
  ratioCeilingPpm: 800_000,
  ratioDecayPpm: 951_695,
  ratchetZSquaredPpm: 2_706_025,
})

/** A local network's: short epochs, and a cap of 500 with the z calibrated for it (2.67). */
export const LOCAL: Protocol = Object.freeze({
  ...PROTOCOL,
  epochBlocks: 30,
  sealBlock: 20,
  cap: 500,
  zSquaredPpm: 7_128_900,
})

/** The rule of one environment, and the outlier bar, as `match` and `evidence` take it. */
export type LaneRule = Rule & { readonly outlierZSquared: bigint }

/** The rule of one environment under `protocol`. */
export function ruleOf({ cap, minTrials, zSquaredPpm, outlierZSquared }: Protocol): LaneRule {
  return { cap, minTrials, zSquaredPpm: BigInt(zSquaredPpm), outlierZSquared: BigInt(outlierZSquared) }
}

/** Challenges a lane plays in each open environment in the `epochIndex`-th epoch (from 1) of a duel. */
export function quota(epochIndex: number, { quotaFirst, quotaMost }: Protocol): number {
  return Math.min(quotaFirst * 2 ** (epochIndex - 1), quotaMost)
}
