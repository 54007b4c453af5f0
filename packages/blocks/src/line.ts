import { type Hash, parseCanonical } from '@affine/prng'
import * as z from 'zod'
import { type BlockFault, fault, type Read } from './fault.ts'

/** What a block may hold; its readers refuse more. Sizes of lines are without the line feed. */
export const LIMITS = {
  headerBytes: 1024,
  sampleBytes: 131_072,
  blockSamples: 256,
  blockBytes: 8_388_608,
  invocationBytes: 128,
} as const

export const hash: z.ZodType<Hash> = z.string().regex(/^[0-9a-f]{64}$/)
/** SS58 text of 32 bytes under prefix 42 always has this form. Its checksum is for who verifies signatures. */
export const hotkey: z.ZodType<string> = z.string().regex(/^5[1-9A-HJ-NP-Za-km-z]{47}$/)

export const uint = (most: number = Number.MAX_SAFE_INTEGER): z.ZodType<number> => z.int().min(0).max(most)

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of UTF-8 bytes, a byte order mark kept, or null. */
export function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/** The value if it has the shape, else where it has not: neither what is there nor an unknown key is quoted. */
export function conform<T>(value: unknown, shape: z.ZodType<T>, code: BlockFault): Read<T> {
  const { data, error } = shape.safeParse(value)
  if (error === undefined) return { ok: true, value: data }
  const [issue] = error.issues
  return fault(code, `${issue?.code} at /${issue?.path.join('/')}`)
}

/** A line of at most `limit` bytes, of canonical JSON in a shape; `code` is the fault of another shape. Never throws. */
export function readLine<T>(line: Uint8Array, limit: number, shape: z.ZodType<T>, code: BlockFault): Read<T> {
  if (line.length > limit) return fault('TOO_LARGE', `expected at most ${limit} bytes, got ${line.length}`)
  const text = decode(line)
  if (text === null) return fault('NOT_UTF8', 'the line is not UTF-8')
  const parsed = parseCanonical(text)
  return parsed.ok ? conform(parsed.value, shape, code) : parsed
}
