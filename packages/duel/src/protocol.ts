import type { Hash } from '@affine/prng'
import type { HoldLine } from '@affine/wilson'
import { type EnvsConstants, LOCAL_ENVS, MAIN_ENVS } from './env-constants.ts'

const CONSTANTS = {
  /** By exact id, `name@semver`. */
  envs: MAIN_ENVS as EnvsConstants,
  /** The digest of the list of what miners' deployments may use. Protocol §5.4. */
  templates: '6d2072132b084380365270d1ecc5e66602cbfdce780dc5c94fd7e707880297aa' as Hash,
  epochBlocks: 360,
  /** Blocks into an epoch at which the heads on chain close the lanes. */
  sealBlock: 240,
  /** Voters at most: the bits of an attestation. */
  validatorsMost: 128,
  /** For so many epochs a validator that attests no more is still counted. */
  quorumEpochs: 20,
  /** One lane alone: decisive trials at most, at least for a win (of many lanes too), and z². */
  cap: 5000,
  minTrials: 10,
  zSquaredPpm: 8_122_500,
  /** Offset and slope of the line under which an environment is a hold. Protocol §7. */
  holdOffset: 30,
  holdSlopePpm: 30_000,
  /**
   * z² of a WIN of several lanes, and of an environment that decides alone. The first z is
   * 2.85 − 0.4 = 2.45: that of one lane, less the 0.4 deviations that the score charges each lane.
   */
  floorZSquaredPpm: 6_002_500,
  aloneZSquaredPpm: 12_250_000,
  /** K: of N environments the contender needs ⌈(N+K)/2⌉. */
  margin: 1,
  /** Duels at once, and epochs that one lasts, at most. */
  duelsMost: 8,
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
  evenEpoch: 5,
  evenPpm: 50_000,
  /** What is left of a validator's record after an epoch. */
  trustFadePpm: 937_500,
  ratioFloorPpm: 510_000,
  ratioCeilingPpm: 800_000,
  /** What is left of the ratio's excess over the floor after an epoch. */
  ratioDecayPpm: 951_695,
  /** z² of the bounds that a miner's rate and the ratio to beat are. */
  ratchetZSquaredPpm: 2_706_025,
}

/**
 * What a network agrees on: its environments and numbers. It is part of the state, so the state's
 * root commits to it. What is no number to choose is in the code: the half that attests, the two
 * thirds without which an epoch is frozen, the third that is trimmed, the four frozen epochs.
 * Protocol §9.2.
 */
export type Protocol = Readonly<typeof CONSTANTS>

/** The main network's. */
export const PROTOCOL: Protocol = CONSTANTS

/**
 * A local network's: short epochs, fewer of the long challenges, and a cap of 500 with its line of
 * a hold. Protocol §9.2.
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

/** The numbers by which `judgeEnvironment` judges one environment. */
export type LaneRule = HoldLine &
  Pick<Protocol, 'minTrials' | 'floorZSquaredPpm' | 'outlierZSquared' | 'ratchetZSquaredPpm'>

/**
 * The rule of an environment that decides alone: nothing else has to go wrong for a false win of it
 * to be a false dethronement. That of one that decides with others is the protocol itself.
 * Protocol §8.6.
 */
export function makeSoleRule(protocol: Protocol): LaneRule {
  return { ...protocol, floorZSquaredPpm: protocol.aloneZSquaredPpm }
}
