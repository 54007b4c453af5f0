import { canonicalize, digest, type Hash, parseCanonical, type Result } from '@affine/prng'
import { anyText, hex, record } from '@affine/prng/shape'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Sign, Verify } from './block.ts'
import { decode, hotkey, LIMITS } from './line.ts'

/** Whose a bucket is: the hotkey's, which announces it under this address. Protocol §6.4. */
export interface Owner {
  readonly hotkey: string
  /** Byte for byte as it is announced. */
  readonly address: string
}

interface SignedOwner extends Owner {
  /** 128 hex digits. */
  readonly signature: string
}

/** What the hotkey of an owner signs. */
const ownerDigest = ({ hotkey, address }: Owner): Hash => digest('owner', { hotkey, address })

const shape = record<SignedOwner>({
  hotkey,
  address: anyText(LIMITS.ownerBytes),
  signature: hex(64),
})

/** The bytes of the file in which a bucket says whose it is. Protocol §6.4. */
export async function writeOwner(owner: Owner, sign: Sign): Promise<Uint8Array> {
  const signature = bytesToHex(await sign(hexToBytes(ownerDigest(owner))))
  return utf8ToBytes(canonicalize({ ...owner, signature }))
}

/**
 * Whose a bucket is that holds this file. Never throws. Says nothing of the place where the file
 * was found: compare the address. Protocol §6.4.
 */
export function readOwner(bytes: Uint8Array, verify: Verify): Result<Owner, 'BAD_OWNER'> {
  const bad = (detail: string) => ({ ok: false, code: 'BAD_OWNER', detail }) as const
  if (bytes.length > LIMITS.ownerBytes) return bad(`expected at most ${LIMITS.ownerBytes} bytes`)
  const parsed = parseCanonical(decode(bytes))
  if (!parsed.ok) return bad(parsed.detail)
  const wrong = shape(parsed.value)
  if (wrong !== undefined) return bad(wrong.replace(/^: /, ''))
  const { signature, ...owner } = parsed.value as unknown as SignedOwner
  const isSigned = verify(hexToBytes(ownerDigest(owner)), hexToBytes(signature), owner.hotkey)
  return isSigned ? { ok: true, value: owner } : bad('expected a signature of the hotkey')
}
