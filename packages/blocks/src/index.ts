export * from './block.ts'
export * from './bucket.ts'
export { type BlockFault, type EvidenceResult, FAULT_CODES, isOnlyOfCopy } from './fault.ts'
export * from './forfeit.ts'
export { httpBucket } from './http-bucket.ts'
export * from './lane.ts'
export {
  type ChallengePair,
  type ChallengeVerdict,
  compareRewards,
  createPairing,
  type Episode,
  type EpisodeSample,
  type Header,
  isWithinBlock,
  type LaneChallenge,
  LIMITS,
  listEpisodes,
  type Sample,
} from './line.ts'
export * from './merkle.ts'
export {
  hashCommitment,
  type LaneQuotas,
  makeLaneEnvs,
  type PlannedSample,
  planLane,
  type Scope,
} from './plan.ts'
export * from './proof.ts'
