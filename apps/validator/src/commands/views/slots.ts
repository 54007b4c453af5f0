import { type CommitmentSlot, decodeCommitment } from '@affine/chain'
import type { Rows } from '@affine/terminal'

/** Rao as a decimal of nine places. */
export const decimal = (rao: bigint): string =>
  `${rao / 10n ** 9n}.${`${rao % 10n ** 9n}`.padStart(9, '0')}`

/** A slot as a record, bytes in hex; of kind `unknown` if it is no commitment of this protocol. */
export function readSlot({ hotkey, block, fields }: CommitmentSlot): Rows[number] {
  const said = decodeCommitment(fields, hotkey)
  if (said === null) {
    const text = fields.map((field) => Buffer.from(field).toString())
    return { hotkey, block, kind: 'unknown', says: { text, hex: fields.map(hex) } }
  }
  const { kind, ...says } = said
  if ('bitmap' in says) return { hotkey, block, kind, says: { ...says, bitmap: hex(says.bitmap) } }
  return { hotkey, block, kind, says }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
