export type { Scope, Tally } from './audit.ts'
export {
  type Block,
  type BlockDraft,
  type BlockTrust,
  blockHash,
  type Header,
  NO_BLOCK,
  readBlock,
  type Sign,
  type Verify,
  writeBlock,
} from './block.ts'
export { type Bucket, blockPath, type HttpOptions, httpBucket, statePath } from './bucket.ts'
export { type BlockFault, FAULT_CODES } from './fault.ts'
export { blockReader, commitmentOf, type Lane, type LaneRequest, verifyLane } from './lane.ts'
export { LIMITS } from './limits.ts'
export { type HashFunction, type Inclusion, inclusionProof, merkleRoot, verifyInclusion } from './merkle.ts'
export { type ProofTrust, type SampleProof, sampleProof, verifySampleProof } from './proof.ts'
export type { Episode, EpisodeMessage, Outcome, Sample } from './sample.ts'
