export * from './network.ts'
export { NETWORK_HELP, type Opened, type OpenOptions, openChain, openLive } from './open-chain.ts'
export * from './options.ts'
export { interrupted, type Output, output, raceAbort, run, toJson } from './output.ts'
export { type Flaw, type Recomputed, type RecomputeOptions, recompute } from './recompute.ts'
export {
  checkLane,
  isMissing,
  type LaneVerdict,
  laneScope,
  type Settled,
  settleEpoch,
  Unavailable,
} from './settle.ts'
export { openBucket, type Source, sourceReader } from './sources.ts'
export * from './text.ts'
