import type { Shape } from '@affine/prng/shape'
import { type BlockFault, type EvidenceResult, fault } from './fault.ts'

/**
 * The value if it has the shape, else where it has not: neither what is there nor an unknown key is
 * quoted.
 */
export function conform<T>(value: unknown, shape: Shape<T>, code: BlockFault): EvidenceResult<T> {
  const wrong = shape(value)
  if (wrong === undefined) return { ok: true, value: value as T }
  return fault(code, wrong.replace(/^: /, ''))
}
