export { type ChallengeParts, challengeId, isChallengeId, seedOf } from './challenge.ts'
export { checkEnv } from './check-env.ts'
export { type Definition, defineEnv, type EnvSpec, type Outcome } from './definition.ts'
export { Env, type Info, type ResetOptions } from './env.ts'
export { make, register, registry, specHash } from './registry.ts'
export {
  type Agent,
  type Fault,
  type Message,
  type NoReply,
  play,
  type ReplayFault,
  type Reply,
  replay,
  type Transcript,
  type WithSpec,
} from './replay.ts'
export type { Space } from './spaces.ts'
export * as spaces from './spaces.ts'
export { lastLine, normalise } from './text.ts'
