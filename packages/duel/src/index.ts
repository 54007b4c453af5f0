export { attestedLanes, dueSeals, laneAttesters, type Seals } from './acceptance.ts'
export { votingStakes } from './active.ts'
export { encodeBitmap } from './bitmap.ts'
export { type EnvConstants, type EnvsConstants, quotaOf } from './env-constants.ts'
export {
  type Evidence,
  judgeEnvironment,
  type KeptWeights,
  keptWeights,
  type Observed,
  type Rates,
} from './environment-judgement.ts'
export { type EnvReport, ruleAmong } from './environments.ts'
export { holdCapOf } from './hold.ts'
export type { Lanes, Report } from './judgement.ts'
export * from './match.ts'
export * from './protocol.ts'
export { nextContenders } from './queue.ts'
export type { Quorum } from './quorum.ts'
export { decay, ratchet, type Won } from './ratio.ts'
export type { Attestation, Candidate, DuelSnapshot, Permitted } from './snapshot.ts'
export * from './state.ts'
export * from './state-file.ts'
export { type Counts, sumTallies, type Tallies, type Tally } from './tally.ts'
export { type Decided, decide, type Facts, settle } from './throne.ts'
export type { WeightedTally } from './trim.ts'
export { trustOf } from './trust.ts'
export { weighToday } from './voters.ts'
export { expectedIn, type Score, type Way, waysToWin, widened } from './win.ts'
export { neededWins, type Winner, winnerBy, winnerOf } from './winner.ts'
