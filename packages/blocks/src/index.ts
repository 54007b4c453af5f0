export * from './block.ts'
export * from './bucket.ts'
export { type BlockFault, type EvidenceResult, FAULT_CODES } from './fault.ts'
export * from './forfeit.ts'
export { httpBucket } from './http-bucket.ts'
export * from './lane.ts'
export {
  type ChallengePair,
  type ChallengeVerdict,
  challengeVerdict,
  type Episode,
  type EpisodeSample,
  episodesIn,
  type Header,
  isRoomFor,
  type LaneChallenge,
  LIMITS,
  pairing,
  type Sample,
} from './line.ts'
export * from './merkle.ts'
export {
  commitmentOf,
  type LaneQuotas,
  laneEnvs,
  type PlannedSample,
  planOf,
  type Scope,
} from './plan.ts'
export * from './proof.ts'
