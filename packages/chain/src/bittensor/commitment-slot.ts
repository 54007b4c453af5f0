import { hexToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod/mini'
import type { CommitmentSlot } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { hotkeyShape } from './hotkey-shape.ts'
import type { Codec } from './storage.ts'

const hex = z.string().check(z.regex(/^0x([0-9a-f]{2})*$/))

const registrationShape = z.object({
  block: z.int().check(z.minimum(0)),
  info: z.object({ fields: z.array(z.record(z.string(), z.unknown())) }),
})

/**
 * What a hotkey has committed. A field that is not plain bytes is read as an empty one.
 * @throws ChainError `BadReply` for a malformed commitment.
 */
export function slotOf(hotkey: Codec, registration: Codec): CommitmentSlot {
  const { data: owner } = hotkeyShape.safeParse(hotkey.toJSON())
  const { data } = registrationShape.safeParse(registration.toJSON())
  if (owner === undefined || data === undefined)
    throw new ChainError('BadReply', 'a commitment on the chain is malformed')
  const { block, info } = data
  return { hotkey: owner, block, fields: info.fields.map(bytesIn) }
}

/**
 * A field has one key, its kind. The kind of plain bytes is `Raw` with their number, or `BigRaw`.
 */
function bytesIn(field: Readonly<Record<string, unknown>>): Uint8Array {
  const [entry] = Object.entries(field)
  if (entry === undefined) return new Uint8Array(0)
  const [kind, value] = entry
  const { data: text } = hex.safeParse(value)
  if (text === undefined || !/^(raw\d+|bigRaw)$/i.test(kind)) return new Uint8Array(0)
  return hexToBytes(text.slice(2))
}
