export {
  attestedRoot,
  attestedState,
  type PublicData,
  STATE_BYTES,
} from './attested-state.ts'
export { type Beginning, beginningAt, newestAttested, readersState } from './beginning.ts'
export { isBucketUrl, isPlainName } from './bucket-address.ts'
export {
  type CheckedLane,
  checkLane,
  isMissing,
  laneScope,
  type SealedLane,
} from './checked-lane.ts'
export { type Clock, SYSTEM_CLOCK } from './clock.ts'
export type { Choose } from './copies.ts'
export type { Flaw } from './differing.ts'
export { type Holder, holdersOf, inReadingOrder } from './holders.ts'
export type { SamplePlace } from './lane-finder.ts'
export * from './networks.ts'
export {
  type Host,
  isOnline,
  NETWORK_HELP,
  type Open,
  type Opened,
  type OpenOptions,
  openChain,
  openLive,
} from './open-chain.ts'
export { Owners } from './owners.ts'
export { Patience, type Waits } from './patience.ts'
export { type Recomputed, type RecomputeOptions, recompute } from './recompute.ts'
export {
  type FindLane,
  readSeals,
  type Settled,
  type Sought,
  settleEpoch,
  Unavailable,
} from './settle.ts'
export { commitmentsOf, duelSnapshot, sealsOf } from './snapshot.ts'
export {
  type CheckBlock,
  type Failed,
  type Keep,
  type OpenBucket,
  type Source,
  sourceReader,
} from './sources.ts'
export {
  averageBlockMs,
  beaconBlock,
  type EpochPosition,
  placeOf,
  sealBlock,
  snapshotBlock,
} from './timetable.ts'
export type { Votes, Warning } from './warnings.ts'
