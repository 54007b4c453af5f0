export {
  type EpisodeCourse,
  endingOf,
  type GameMove,
  sampleCourse,
  sampleEnding,
} from './course.ts'
export * from './duel-facts.ts'
export { DuelLanes, type KeptLane } from './duel-lanes.ts'
export type { EpisodeEnding } from './ending.ts'
export * from './env-facts.ts'
export * from './epoch-facts.ts'
export { LOSSES_SHOWN, MinerReport } from './miner-report.ts'
export * from './miner-stats.ts'
export { type PastChallenge, PastChallenges } from './past-challenges.ts'
export * from './practice-result.ts'
export * from './prospects.ts'
export * from './sentences/index.ts'
export * from './sides.ts'
export * from './subnet-status.ts'
export * from './text.ts'
export type { Turn } from './turn.ts'
