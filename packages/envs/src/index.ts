export {
  type ChallengeParts,
  type Challenges,
  challengeId,
  challengesOf,
  isChallengeId,
  seedOf,
} from './challenge.ts'
export { checkEnv } from './check-env.ts'
export type { Definition, EnvSpec, GameDefinition, GameRules } from './definition.ts'
export { Env, type ResetOptions } from './env.ts'
export type { Explanation, LastTurn, Outcome } from './explanation.ts'
export { GameEpisode, type GameSide, type PerSide } from './game-episode.ts'
export {
  playGame,
  type ReplayedSide,
  replayGame,
  replayGameFrom,
  unbegunGame,
} from './game-record.ts'
export type { Info } from './info.ts'
export type { Picture, PictureShape } from './picture.ts'
export { type MakeOptions, make, register, registry, specHash } from './registry.ts'
export {
  type Agent,
  type Fault,
  type Message,
  play,
  type Reply,
  replay,
  replayFrom,
  type Transcript,
} from './replay.ts'
export * as spaces from './spaces.ts'
export { defineEnv, defineGame } from './spec.ts'
export { isOversize, normalise } from './text.ts'
export { solvedGame } from './tictactoe-game.ts'
