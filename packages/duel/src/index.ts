export * from './acceptance.ts'
export { type Decided, decide, type Facts } from './decide.ts'
export { type EnvConstants, type EnvsConstants, quotaOf } from './env-constants.ts'
export * from './environment-judgement.ts'
export type { DuelReport, Report, Standing } from './judgement.ts'
export * from './played.ts'
export * from './protocol.ts'
export { playingIn, queueOf } from './queue.ts'
export * from './state.ts'
export * from './state-file.ts'
export * from './tally.ts'
export { decay, ratchet, type WonEnv } from './throne.ts'
export {
  type EnvReport,
  type EnvReports,
  ruleAmong,
  seenIn,
  type VerdictCause,
} from './verdicts.ts'
export { trustOf, votingStakes } from './voters.ts'
