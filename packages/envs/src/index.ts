export {
  type ChallengeParts,
  type ChallengePlace,
  type Challenges,
  challengeId,
  challengesOf,
  isChallengeId,
  seedOf,
} from './challenge.ts'
export type { Definition, EnvSpec, GameDefinition, GameRules } from './definition.ts'
export { Env, type Info, type ResetOptions } from './env.ts'
export {
  actionIn,
  type EpisodeEnd,
  type EpisodeTurns,
  type OpenTurn,
  type PerSide,
  SIDES,
  type Side,
  turnsOf,
} from './episode.ts'
export type { Explanation, LastTurn, Outcome, Picture, PictureShape } from './explanation.ts'
export {
  type Agent,
  type Fault,
  type Message,
  play,
  playGame,
  type Reply,
  type Transcript,
  unbegunGame,
} from './play.ts'
export { type MakeOptions, make, register, registry, specHash } from './registry.ts'
export { type ReplayedSide, replay, replayFrom, replayGame, replayGameFrom } from './replay.ts'
export * as spaces from './spaces.ts'
export { defineEnv, defineGame } from './spec.ts'
export { answerOf, normalise, recordedOf } from './text.ts'
export { solvedGame } from './tictactoe-game.ts'
