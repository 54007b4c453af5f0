import * as z from 'zod'
import { type BlockFault, fault, type Read } from './fault.ts'

/** Integers from 0. */
export const uint = (most: number = Number.MAX_SAFE_INTEGER): z.ZodType<number> =>
  z.int().min(0).max(most)

/** So many bytes in lower-case hex. */
export const hex = (bytes: number): z.ZodType<string> =>
  z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`))

/**
 * The value if it has the shape, else where it has not: neither what is there nor an unknown key is
 * quoted.
 */
export function conform<T>(value: unknown, shape: z.ZodType<T>, code: BlockFault): Read<T> {
  const { data, error } = shape.safeParse(value)
  if (error === undefined) return { ok: true, value: data }
  const [issue] = error.issues
  return fault(code, `${issue?.code} at /${issue?.path.join('/')}`)
}
