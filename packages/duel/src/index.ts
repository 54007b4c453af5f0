export {
  attestedLanes,
  countedAttestations,
  dueSeals,
  encodeBitmap,
  type Lanes,
  type LaneTallies,
  laneAttesters,
  type Seals,
} from './acceptance.ts'
export { type Decided, decide, type Facts } from './decide.ts'
export { type EnvConstants, type EnvsConstants, quotaOf } from './env-constants.ts'
export * from './environment-judgement.ts'
export type { DuelReport, Report, Standing } from './judgement.ts'
export * from './played.ts'
export * from './protocol.ts'
export { queueOf } from './queue.ts'
export { decay, ratchet, type Won } from './ratio.ts'
export * from './state.ts'
export * from './state-file.ts'
export {
  addChallenge,
  type ChallengeOutcome,
  type Counts,
  type LaneTally,
  type Match,
  type MatchRule,
  NO_MATCH,
  playMatch,
  sumTallies,
  type Tallies,
  type Tally,
} from './tally.ts'
export { type EnvReport, type EnvReports, ruleAmong, seenIn } from './verdicts.ts'
export { trustOf, votingStakes } from './voters.ts'
export { isWin, type Score, type WeightedTally } from './win.ts'
