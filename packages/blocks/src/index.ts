export type { AuditedBlock, AuditedSample, BlockRequest, Scope } from './audit.ts'
export { checkBlock, commitmentOf } from './audit.ts'
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
  type ChallengeVerdict,
  challengeVerdict,
  type Episode,
  type Header,
  isRoomFor,
  LIMITS,
  type Sample,
} from './line.ts'
export {
  type HashFunction,
  type Inclusion,
  inclusionProof,
  merkleRoot,
  verifyInclusion,
} from './merkle.ts'
export { headAfter, type SampleProof, sampleProof, verifySampleProof } from './proof.ts'
