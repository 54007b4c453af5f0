export { attested, type LaneReport } from './acceptance.ts'
export { type Evidence, evidence, type Tally } from './evidence.ts'
export type { Report } from './judgement.ts'
export { look, type Match, match, NO_MATCH, type Outcome, outcome, type Verdict } from './match.ts'
export { type LaneRule, LOCAL, PROTOCOL, type Protocol, quota, ruleOf } from './protocol.ts'
export { queue } from './queue.ts'
export { decay, ratchet, type WeightedTally } from './ratchet.ts'
export {
  type Attestation,
  contentOf,
  type Duel,
  duelId,
  encodeState,
  genesis,
  type Lanes,
  type Miner,
  openEnvs,
  type Seals,
  type Snapshot,
  type State,
  stateRoot,
} from './state.ts'
export { parseState } from './state-file.ts'
export { decide, settle } from './throne.ts'
export { type Trust, trust } from './trust.ts'
