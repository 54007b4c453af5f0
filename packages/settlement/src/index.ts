export {
  attestedState,
  type PublicData,
  readersState,
  STATE_BYTES,
} from './attested-state.ts'
export type { Flaw } from './copies.ts'
export * from './networks.ts'
export {
  type Host,
  NETWORK_HELP,
  type Open,
  type Opened,
  type OpenOptions,
  openChain,
  openLive,
} from './open-chain.ts'
export {
  type Recomputed,
  type RecomputeOptions,
  recompute,
  type SamplePlace,
} from './recompute.ts'
export {
  type CheckedLane,
  checkLane,
  type FindLane,
  isMissing,
  laneScope,
  readSeals,
  type SealedLane,
  type Settled,
  settleEpoch,
  Unavailable,
} from './settle.ts'
export { bucketUrls, commitmentsOf, duelSnapshot, sealsOf } from './snapshot.ts'
export { type OpenBucket, type Source, sourceReader } from './sources.ts'
export { beaconBlock, type Place, placeOf, sealBlock, snapshotBlock } from './timetable.ts'
