export * from './asking.ts'
export { type Chutes, openChutes } from './chutes.ts'
export {
  chutesAccount,
  isInOrder,
  type KeyAccount,
  mayCall,
  noAccessText,
} from './chutes-key.ts'
export { type Asked, findSourceRefusal } from './deployment/deployment.ts'
export { TEMPLATES } from './deployment/templates.ts'
export { type Client, endpointAgents, minerClient } from './miner-client.ts'
export * from './play-sample.ts'
export {
  countFailures,
  expectReply,
  type FailureCount,
  type MissingReply,
  NoAnswer,
  type Opponent,
  openMiner,
  openPlayer,
  type PlayerAsking,
  unansweredText,
  whyNoAnswer,
} from './player.ts'
export { playerReply, type ReferencePlayer } from './reference-miner.ts'
export {
  HOPELESS,
  judgeReplies,
  type ReplyCounts,
  replyCountsText,
} from './reply-counts.ts'
export {
  type DuelStanding,
  type Exercise,
  environmentsNamed,
  exercisesOf,
  type Notes,
  type Played,
  practise,
  runDuel,
  type SoloDuel,
  soloChallenge,
  takeUp,
  tryMiner,
} from './solo.ts'
