export { attestedLanes, dueSeals, encodeBitmap, laneAttesters, type Seals } from './acceptance.ts'
export { type Decided, decide, type Facts, type Quorum } from './decide.ts'
export { type EnvConstants, type EnvsConstants, quotaOf } from './env-constants.ts'
export {
  type Evidence,
  holdCapOf,
  judgeEnvironment,
  type KeptWeights,
  keptWeights,
  type Observed,
  type Rates,
} from './environment-judgement.ts'
export type { Lanes, Report } from './judgement.ts'
export * from './protocol.ts'
export { decay, ratchet, type Won } from './ratio.ts'
export * from './state.ts'
export * from './state-file.ts'
export { nextContenders } from './succession.ts'
export {
  addChallenge,
  type ChallengeOutcome,
  type Counts,
  type Match,
  type MatchRule,
  NO_MATCH,
  playMatch,
  sumTallies,
  type Tallies,
  type Tally,
} from './tally.ts'
export {
  type EnvReport,
  neededWins,
  ruleAmong,
  type Winner,
  winnerBy,
  winnerOf,
} from './verdicts.ts'
export { trustOf, votingStakes, weighToday } from './voters.ts'
export {
  expectedIn,
  type Score,
  type Way,
  type WeightedTally,
  waysToWin,
  widened,
} from './win.ts'
