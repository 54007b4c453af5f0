export { type AuditedBlock, type BlockRequest, checkBlock } from './audit.ts'
export type {
  Block,
  BlockDraft,
  BlockTrust,
  OpenBlock,
  Sign,
  Verify,
} from './block.ts'
export {
  blockHash,
  NO_BLOCK,
  openBlock,
  openHeader,
  readBlock,
  writeBlock,
} from './block.ts'
export {
  type Bucket,
  blockPath,
  isBucketPath,
  mediaType,
  probePath,
  statePath,
} from './bucket.ts'
export { type BlockFault, type EvidenceResult, FAULT_CODES } from './fault.ts'
export { forfeitIn, forfeitOf, isUnbegun } from './forfeit.ts'
export { httpBucket } from './http-bucket.ts'
export { blockReader, type Lane, type LaneRequest, verifyLane } from './lane.ts'
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
export {
  type HashFunction,
  type Inclusion,
  inclusionProof,
  merkleRoot,
  verifyInclusion,
} from './merkle.ts'
export {
  challengeIn,
  commitmentOf,
  type LaneQuotas,
  laneEnvs,
  type PlannedSample,
  planOf,
  type Scope,
} from './plan.ts'
export { headAfter, type SampleProof, sampleProof, verifySampleProof } from './proof.ts'
