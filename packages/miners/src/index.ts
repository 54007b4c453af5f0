export type { AgentOf, Asking, Hear, MinerAgent, MinerEvent } from './asking.ts'
export { type Chutes, openChutes } from './chutes.ts'
export {
  type AskedAccount,
  CHUTES_API,
  ChutesKey,
  chutesAccount,
  isInOrder,
  LOOK_UP_MS,
} from './chutes-key.ts'
export type { Asked, Deployment, DeploymentFault } from './deployment/deployment.ts'
export { type Directory, lookAt } from './deployment/look.ts'
export type { SourceFault } from './deployment/source-refusal.ts'
export { readTemplate, type TemplateCall } from './deployment/template-source.ts'
export { TEMPLATES, type Templates, templatesHash } from './deployment/templates.ts'
export { expectReply } from './expect-reply.ts'
export { whyNoAnswer } from './first-answer.ts'
export { type GameTime, withClock } from './game-clock.ts'
export { type Client, endpointAgents, LOOPBACK, minerClient } from './miner-client.ts'
export { NoReply, type NoReplyReason } from './no-reply.ts'
export { type Notes, takeUp } from './notes.ts'
export { pause } from './pause.ts'
export {
  type LaneChallenge,
  playSample,
  type Sides,
  unbegunSample,
  withoutReplies,
} from './play-sample.ts'
export { NoAnswer, type Opponent, openPlayer, type Player, type PlayerAsking } from './player.ts'
export { type Exercise, type Played, practise } from './practice.ts'
export { type Caller, type Exchange, type Query, type Received, Undelivered } from './query.ts'
export { playerReply, type ReferencePlayer } from './reference-miner.ts'
export {
  type DuelStanding,
  environmentsNamed,
  runDuel,
  type SoloDuel,
  soloChallenge,
} from './solo-duel.ts'
export { Stopped } from './stopped.ts'
