export * from './acceptance.ts'
export { type Decision, decide, type Facts, listPlaying, orderQueue } from './decide.ts'
export { computeQuota, type EnvConstants, type EnvsConstants } from './env-constants.ts'
export * from './environment-judgement.ts'
export type { DuelReport, Report, Standing } from './judgement.ts'
export * from './played.ts'
export * from './protocol.ts'
export * from './state.ts'
export * from './state-file.ts'
export * from './tally.ts'
export { decay, ratchet, type WonEnv } from './throne.ts'
export {
  chooseRule,
  type EnvReport,
  type EnvReports,
  listTallies,
  type VerdictCause,
} from './verdicts.ts'
export { computeTrust, votingStakes } from './voters.ts'
