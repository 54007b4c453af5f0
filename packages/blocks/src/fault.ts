import type { Result } from '@affine/prng'

const FAULTS = [
  // A block's bytes are not what its hash and its signature promise, whoever altered them.
  ['MISSING_BLOCK', 'BAD_LINES', 'BAD_HEADER', 'WRONG_HASH', 'WRONG_SIGNATURE', 'WRONG_ROOT'],
  // From here on the validator signed it: a line is no sample.
  ['BAD_SAMPLE'],
  // A block is out of place in its lane.
  ['WRONG_SCOPE', 'WRONG_HEIGHT', 'WRONG_PREVIOUS', 'SHORT_BLOCK', 'WRONG_SECRET'],
  // Samples are not those that the lane has to hold.
  ['MISSING_INDEX', 'WRONG_CHALLENGE', 'REPEATED_INVOCATION'],
  // A transcript does not replay (the codes of `replay`), or to something else than the sample
  // says.
  ['PROMPT_DIFFERS', 'NOT_NORMALISED', 'WRONG_ROLE', 'TOO_SHORT', 'TOO_LONG'],
  ['WRONG_FAULT', 'WRONG_REWARD'],
  // A sample proof does not lead from the sample to the head.
  ['BAD_PROOF'],
] as const

export type BlockFault = (typeof FAULTS)[number][number]

/**
 * Every way in which evidence can be wrong. A test produces each of them from real, tampered bytes.
 * Protocol §6.5 and, of a sample alone, Protocol §6.6.
 */
export const FAULT_CODES: readonly BlockFault[] = FAULTS.flat()

/** What a reader of evidence returns: it never throws. */
export type EvidenceResult<T> = Result<T, BlockFault>
export type Failure = Extract<EvidenceResult<never>, { ok: false }>

/** `detail` is for people. It must not quote hostile text, which a terminal could act on. */
export const fault = (code: BlockFault, detail: string): Failure => ({ ok: false, code, detail })

/** Null if `got` is what was expected. Both are printed, so they must be of a known shape. */
export function faultUnlessEqual(
  code: BlockFault,
  got: string | number,
  expected: string | number,
): Failure | null {
  if (got === expected) return null
  return fault(code, `expected ${expected}, got ${got}`)
}

/** The same fault, with its place put before its detail. */
export const faultAt = (place: string, { code, detail }: Failure): Failure =>
  fault(code, `${place}: ${detail}`)
