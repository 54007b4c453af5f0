import * as z from 'zod/mini'
import { decodeAddress } from '../account.ts'

/** A hotkey in data from outside: an SS58 address with prefix 42. Protocol §1.4. */
export const hotkeyShape: z.ZodMiniType<string> = z
  .string()
  .check(z.refine((text) => decodeAddress(text) !== null))
