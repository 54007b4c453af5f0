import type { Result } from '@affine/prng'

/** Every way in which evidence can be wrong. A test produces each of them from real, tampered bytes. */
export const FAULT_CODES = [
  // A block's bytes are not what its hash and its signature promise, whoever altered them.
  'TOO_LARGE', // over one of LIMITS
  'BAD_LINES', // not a header, a signature and at most 256 samples, each ended by one line feed
  'NOT_UTF8',
  'NOT_JSON',
  'NOT_CANONICAL',
  'BAD_HEADER',
  'BAD_SIGNATURE', // its line, not its bytes
  'WRONG_HASH',
  'WRONG_SIGNATURE',
  'WRONG_COUNT',
  'WRONG_ROOT',
  // From here on the validator signed it.
  'BAD_SAMPLE',
  'BAD_CHALLENGE_ID',
  // A block is out of place in its lane.
  'MISSING_BLOCK',
  'WRONG_SCOPE', // another subnet's, validator's or epoch's
  'WRONG_HEIGHT',
  'WRONG_PREVIOUS', // the lane does not begin at the validator's last seal
  'EMPTY_BLOCK', // and not the last one
  'NO_SECRET', // the last block does not reveal it
  'EARLY_SECRET', // a block before the last does
  'WRONG_SECRET', // not the one committed to
  'LANE_TOO_LONG', // more blocks than the quota can fill
  // A sample is not what the lane has to hold.
  'WRONG_DUEL',
  'WRONG_MINER',
  'WRONG_INDEX', // an environment or index outside the quota
  'REPEATED_INDEX',
  'MISSING_INDEX',
  'WRONG_CHALLENGE',
  'REPEATED_INVOCATION',
  // A transcript does not replay (the codes of `replay`), or to something else than it says.
  'PROMPT_DIFFERS',
  'NOT_NORMALISED',
  'OVERSIZE',
  'WRONG_ROLE',
  'TOO_SHORT',
  'TOO_LONG',
  'WRONG_FAULT',
  'WRONG_REWARD',
  'WRONG_VERDICT',
  // A sample proof.
  'BAD_PROOF',
  'NOT_INCLUDED', // the sample is not under its block's root
  'NOT_LINKED', // the block is not under the head
] as const

export type BlockFault = (typeof FAULT_CODES)[number]

/** What a reader of evidence returns: it never throws. */
export type Read<T> = Result<T, BlockFault>
export type Failure = Extract<Read<never>, { ok: false }>

/** `detail` is for people. It must not quote hostile text, which a terminal could act on. */
export const fault = (code: BlockFault, detail: string): Failure => ({ ok: false, code, detail })

/** Null if `got` is what was expected. Both are printed, so they must be of a known shape. */
export const unlike = (code: BlockFault, got: string | number, expected: string | number): Failure | null =>
  got === expected ? null : fault(code, `expected ${expected}, got ${got}`)

/** The same fault, with its place put before its detail. */
export const at = (place: string, { code, detail }: Failure): Failure => fault(code, `${place}: ${detail}`)
