export {
  decay,
  type Evidence,
  evidence,
  ratchet,
  type Tally,
  type WeightedTally,
} from './evidence.ts'
export type { Lanes, Report, Seals } from './judgement.ts'
export * from './match.ts'
export * from './protocol.ts'
export * from './state.ts'
export * from './throne.ts'
export { type Attestation, attested, type Snapshot, trust } from './voters.ts'
