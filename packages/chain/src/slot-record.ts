import { bytesToHex } from '@noble/hashes/utils.js'
import type { CommitmentSlot } from './chain.ts'
import { decodeCommitment } from './commitment.ts'

/** A commitment slot as data that JSON can hold. */
export type SlotRecord = {
  readonly hotkey: string
  readonly block: number
  readonly kind: string
  readonly says: Readonly<Record<string, unknown>>
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * What a slot says, with bytes in hex. The kind is `unknown` if the slot holds no commitment of
 * this protocol.
 */
export function readSlot({ hotkey, block, fields }: CommitmentSlot): SlotRecord {
  const said = decodeCommitment(fields, hotkey)
  if (said === null) {
    const text = fields.map((field) => decoder.decode(field))
    return {
      hotkey,
      block,
      kind: 'unknown',
      says: { text, hex: fields.map((field) => bytesToHex(field)) },
    }
  }
  const { kind, ...says } = said
  if ('bitmap' in says)
    return { hotkey, block, kind, says: { ...says, bitmap: bytesToHex(says.bitmap) } }
  return { hotkey, block, kind, says }
}
