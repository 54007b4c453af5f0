import type { Hash } from '@affine/prng'
import type { HoldLine } from '@affine/wilson'
import { type EnvsConstants, LOCAL_ENVS, MAIN_ENVS } from './env-constants.ts'

const CONSTANTS = {
  /** Keyed by exact id, `name@semver`. */
  envs: MAIN_ENVS as EnvsConstants,
  /** Digest of the templates that miners' deployments may use. Protocol §5.4. */
  templates: '6d2072132b084380365270d1ecc5e66602cbfdce780dc5c94fd7e707880297aa' as Hash,
  epochBlocks: 360,
  /** Index in an epoch of the block at whose end seals are read. */
  sealBlock: 240,
  /** Maximum number of voters: an attestation has one bit for each. */
  validatorsMost: 128,
  /** Epochs that a validator stays active after its last attestation. */
  quorumEpochs: 20,
  /** Maximum decisive trials of one lane. */
  cap: 5000,
  /** Minimum decisive trials for a WIN, of one lane or several. */
  minTrials: 10,
  /** z² of a WIN, or of a HOLD by the upper bound, in one lane alone. Protocol §7. */
  zSquaredPpm: 8_122_500,
  /** Offset and slope of the line up to which the champion holds an environment. Protocol §7. */
  holdOffset: 30,
  holdSlopePpm: 30_000,
  /**
   * z² of a WIN of several lanes: (2.85 − 0.4)², the z of one lane less the 0.4 deviations that the
   * score subtracts per lane.
   */
  floorZSquaredPpm: 6_002_500,
  /** z² of a WIN in the sole deciding environment. */
  aloneZSquaredPpm: 12_250_000,
  /** K: of N environments that are not undecided the contender has to win ⌈(N+K)/2⌉. */
  margin: 1,
  /** Maximum concurrent duels. */
  duelsMost: 8,
  /** Maximum epochs of a duel. */
  duelEpochs: 8,
  /** Square of the deviations from the median lane's share beyond which a lane is an outlier. */
  outlierZSquared: 36,
  /**
   * An environment is undecided, from epoch `evenEpoch` of a duel on, if its median lane has a
   * smaller share of decisive trials than `evenPpm`.
   */
  evenEpoch: 5,
  evenPpm: 50_000,
  /** Part of a validator's counts `correct` and `incorrect` that remains after an epoch. */
  trustFadePpm: 937_500,
  ratioFloorPpm: 510_000,
  ratioCeilingPpm: 800_000,
  /** Part of the ratio's excess over the floor that remains after an epoch. */
  ratioDecayPpm: 951_695,
  /** z² of the bounds for a miner's rate and for the ratio to beat. */
  ratchetZSquaredPpm: 2_706_025,
}

/**
 * The constants of a network, to which each state's root commits. Other numbers, such as the third
 * that is trimmed, are rules. Protocol §9.2.
 */
export type Protocol = Readonly<typeof CONSTANTS>

export const PROTOCOL: Protocol = CONSTANTS

/**
 * The constants of a local network: shorter epochs, fewer long challenges, a smaller cap, and a
 * steeper line for a hold. Protocol §9.2.
 */
export const LOCAL: Protocol = {
  ...PROTOCOL,
  envs: LOCAL_ENVS,
  epochBlocks: 30,
  sealBlock: 20,
  cap: 500,
  holdOffset: 20,
  holdSlopePpm: 60_000,
}

/** The numbers for judging one environment. */
export type LaneRule = HoldLine &
  Pick<Protocol, 'minTrials' | 'floorZSquaredPpm' | 'outlierZSquared' | 'ratchetZSquaredPpm'>

/**
 * Returns the rule of the sole deciding environment, in which any false win is a false crowning.
 * The rule of other environments is the protocol. Protocol §8.6.
 */
export function makeSoleRule(protocol: Protocol): LaneRule {
  return { ...protocol, floorZSquaredPpm: protocol.aloneZSquaredPpm }
}
