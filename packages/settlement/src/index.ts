export * from './attested-state.ts'
export { BucketReader, type CheckBlock, type OpenBucket } from './bucket-reader.ts'
export { type Choose, describeFailure, type Flaw, type Source, toFailureFacts } from './copies.ts'
export * from './epoch-decision.ts'
export * from './networks.ts'
export * from './on-chain.ts'
export type { Votes, Warning } from './on-chain-faults.ts'
export * from './open-chain.ts'
export * from './proof-file.ts'
export {
  type RecomputedEpoch,
  type RecomputeOptions,
  recompute,
  type SamplePlace,
} from './recompute.ts'
export { askInTurn, SYSTEM_CLOCK } from './waiting.ts'
