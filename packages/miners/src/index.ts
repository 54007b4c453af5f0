export * from './asking.ts'
export { type Chutes, openChutes } from './chutes.ts'
export {
  canCall,
  describeMissingAccess,
  fetchAccount,
  isInOrder,
  type KeyAccount,
} from './chutes-key.ts'
export { findSourceRefusal, type TargetMiner } from './deployment/deployment.ts'
export { TEMPLATES } from './deployment/templates.ts'
export { type Client, endpointAgents, minerClient } from './miner-client.ts'
export * from './play-sample.ts'
export {
  countFailures,
  describeMissingReply,
  expectReply,
  type FailureCount,
  type MissingReply,
  NoAnswer,
  type Opponent,
  openMiner,
  openPlayer,
  type PlayerAsking,
  probeMiner,
} from './player.ts'
export { playerReply, type ReferencePlayer } from './reference-miner.ts'
export {
  formatReplyCounts,
  HOPELESS,
  judgeReplies,
  type ReplyCounts,
} from './reply-counts.ts'
export {
  createExercises,
  type DuelStanding,
  type Exercise,
  type Notes,
  type PlayedExercise,
  practise,
  resolveEnvironments,
  resumeRun,
  runDuel,
  type SoloDuel,
  soloChallenge,
  tryMiner,
} from './solo.ts'
