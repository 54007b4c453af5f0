import * as z from 'zod'
import { decodeAddress } from './account.ts'

/** A hotkey in data from outside: an SS58 address with prefix 42. Protocol §1.4. */
export const hotkeyShape: z.ZodType<string> = z
  .string()
  .refine((text) => decodeAddress(text) !== null)
