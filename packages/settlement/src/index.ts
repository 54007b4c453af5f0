export {
  attestedRoot,
  attestedState,
  type Beginning,
  beginningAt,
  firstStateOf,
  newestAttested,
  type PublicData,
  readersState,
  STATE_BYTES,
} from './attested-state.ts'
export { BucketReader, type CheckBlock, type OpenBucket, type Source } from './bucket-reader.ts'
export type { Choose } from './copies.ts'
export type { Flaw } from './copy.ts'
export {
  type CheckedLane,
  checkLane,
  decideEpoch,
  type FindLane,
  isMissing,
  laneScope,
  readSeals,
  type Settled,
  type Sought,
  Unavailable,
} from './epoch-decision.ts'
export * from './networks.ts'
export * from './on-chain.ts'
export type { Votes, Warning } from './on-chain-faults.ts'
export * from './open-chain.ts'
export { type Recomputed, type RecomputeOptions, recompute, type SamplePlace } from './recompute.ts'
export { type Clock, SYSTEM_CLOCK, type Waits } from './waiting.ts'
