import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import type { Commitment } from '../src/index.ts'

/** The hotkey whose slot contains the commitments. */
export const hotkey: string = '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY'
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex)
/** Returns an arbitrary text of at most `most` bytes in UTF-8. */
const text = (most: number): fc.Arbitrary<string> =>
  fc.string({ minLength: 1, maxLength: Math.floor(most / 4), unit: 'binary' })
const epoch = fc.nat(0xffff_ffff)
const bitmap = fc.uint8Array({ minLength: 16, maxLength: 16 })
export const commitment: fc.Arbitrary<Commitment> = fc.oneof(
  fc.record({ kind: fc.constant('seal' as const), epoch, head: hash, url: text(128) }),
  fc.record({
    kind: fc.constant('attest' as const),
    epoch,
    bitmap,
    next: hash,
    stateRoot: hash,
    url: text(128),
  }),
  fc.record({
    kind: fc.constant('miner' as const),
    model: text(80).map((name) => `${name}${hotkey}`),
    revision: text(128),
    chute: text(128),
  }),
)
