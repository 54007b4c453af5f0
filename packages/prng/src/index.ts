export { canonicalize, type Json, parseCanonical, type Result } from './canonical-json.ts'
export { blake3, blake3Ready, digest, digestOfText, digestsAfter, type Hash } from './digest.ts'
export { type Generator, type PcgState, pcg64 } from './generator.ts'
export { type SeedSequence, seedSequence } from './seed-sequence.ts'
