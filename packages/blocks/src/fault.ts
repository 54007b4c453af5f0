import type { Result } from '@affine/prng'

const FAULTS = [
  // Anyone may have altered the bytes: another copy may be valid.
  ['MISSING_BLOCK', 'BAD_LINES', 'WRONG_HASH', 'WRONG_SIGNATURE', 'WRONG_ROOT'],
  // All faults from here on, except BAD_PROOF, were made by the validator. With these two codes, a
  // line is not a valid header or sample.
  ['BAD_HEADER', 'BAD_SAMPLE'],
  // A block is in the wrong place of its lane.
  ['WRONG_SCOPE', 'WRONG_HEIGHT', 'WRONG_PREVIOUS', 'SHORT_BLOCK', 'WRONG_SECRET'],
  // The samples are not those of the plan, or an invocation occurs twice in the lane.
  ['MISSING_INDEX', 'WRONG_CHALLENGE', 'REPEATED_INVOCATION'],
  // A transcript does not replay (the codes of `replay`), or its result differs from the sample's.
  ['PROMPT_DIFFERS', 'NOT_NORMALISED', 'WRONG_ROLE', 'TOO_SHORT', 'TOO_LONG'],
  ['WRONG_FAULT', 'WRONG_REWARD'],
  // A sample proof does not lead from the sample to the sealed head.
  ['BAD_PROOF'],
] as const

export type BlockFault = (typeof FAULTS)[number][number]

/** Every code of a fault in evidence. Protocol §6.5, and for one sample §6.6. */
export const FAULT_CODES: readonly BlockFault[] = FAULTS.flat()

/**
 * Reports whether another copy of a block with this fault may be valid. Any other fault was made by
 * the block's validator, and is in every copy. Protocol §6.5.
 */
export const isOnlyOfCopy = (code: BlockFault): boolean =>
  FAULTS[0].some((altered) => altered === code)

/** The result of a reader of evidence, which never throws. */
export type EvidenceResult<T> = Result<T, BlockFault>
export type Failure = Extract<EvidenceResult<never>, { ok: false }>

/** Returns a fault. `detail` must not quote untrusted text, which could control a terminal. */
export const fault = (code: BlockFault, detail: string): Failure => ({ ok: false, code, detail })

/**
 * Returns null if `got` equals `expected`, otherwise a fault that quotes both: their schema must
 * have been checked.
 */
export function faultUnlessEqual(
  code: BlockFault,
  got: string | number,
  expected: string | number,
): Failure | null {
  if (got === expected) return null
  return fault(code, `expected ${expected}, got ${got}`)
}

/** Returns the same fault with `place` before its detail. */
export const faultAt = (place: string, { code, detail }: Failure): Failure =>
  fault(code, `${place}: ${detail}`)
