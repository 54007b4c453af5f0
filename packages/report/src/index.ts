export { courseOf, type EpisodeCourse, type GameMove, type PlayedReplies } from './course.ts'
export { type DuelEnd, type DuelFacts, type DuelTurn, duelFacts } from './duel-facts.ts'
export { DuelLanes, type KeptLane } from './duel-lanes.ts'
export type { EpisodeEnding } from './ending.ts'
export {
  type Bounds,
  boundsOf,
  type Decider,
  type EnvFacts,
  type EnvLaneFacts,
  type EnvLook,
  envFacts,
  looksAt,
} from './env-facts.ts'
export { type EpochFacts, epochFacts, epochRecord, reportRecord } from './epoch-facts.ts'
export type { LaneFacts } from './lane-facts.ts'
export { type MinerDuel, minerDuel } from './miner-duel.ts'
export { LOSSES_SHOWN, MinerReport } from './miner-report.ts'
export * from './miner-stats.ts'
export type { OtherState } from './other-state.ts'
export { type PastChallenge, PastChallenges } from './past-challenges.ts'
export * from './practice.ts'
export * from './prospects.ts'
export { type MinerQueue, type QueueEntry, queueIn } from './queue.ts'
export type { MissingQuorum, MissingVoter } from './quorum.ts'
export {
  type ChallengeRef,
  endingOf,
  recordedCourse,
  sampleCourse,
  sampleEnding,
} from './recorded-course.ts'
export * from './sentences/index.ts'
export * from './sides.ts'
export { type EnvStatus, type SubnetStatus, statusRecord, subnetStatus } from './subnet-status.ts'
export * from './text.ts'
export { crownedIn, type ThroneChange } from './throne.ts'
export { toJson } from './to-json.ts'
export type { Turn } from './turn.ts'
export type { ValidatorRow } from './validators.ts'
