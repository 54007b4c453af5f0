import { canonicalize, digest, type Hash, parseCanonical, type Result } from '@affine/prng'
import { anyText, hex, record } from '@affine/prng/shape'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Sign, Verify } from './block.ts'
import { decode, hotkey, LIMITS } from './line.ts'

/** Files by path. The same layout on a directory, over plain HTTP, and on S3. Protocol §6.4. */
export interface Bucket {
  /**
   * The file's bytes, which are the caller's, or null if it is not there. Rejects if there are more
   * than `limit` or on any other failure.
   */
  read(path: string, limit: number): Promise<Uint8Array | null>
  /**
   * Resolves once the file is durable. Never overwrites: the same bytes again are fine, other bytes
   * reject.
   */
  write(path: string, bytes: Uint8Array): Promise<void>
}

/** Where a block is. Protocol §6.4. */
export const blockPath = (hash: Hash): string => `v1/blocks/${hash}.jsonl`
/** Where the state is that governs an epoch. Protocol §6.4. */
export const statePath = (epoch: number): string => `v1/states/${epoch}.json`
/** Where a bucket says whose it is. Protocol §6.4. */
export const OWNER_PATH = 'v1/owner.json'
/** Where a validator writes what it tries its bucket with: no evidence. Protocol §6.4. */
export const probePath = (hotkey: string): string => `v1/probes/${hotkey}.json`

const LAYOUT = /^v1\/(?:owner\.json|(?:blocks|states|probes)\/[\w-][\w.-]*)$/

/** Is it a path as those above make? Nothing else in a bucket's folder is public. Protocol §6.4. */
export const isBucketPath = (path: string): boolean => LAYOUT.test(path)

/** What a web server should call a file of a bucket. */
export function mediaType(path: string): string {
  if (path.endsWith('.jsonl')) return 'application/jsonl'
  return 'application/json'
}

/**
 * @throws RangeError unless `path` is names of `[A-Za-z0-9._-]`, none with a dot in front, joined
 *   by `/`.
 */
export function checkPath(path: string): string {
  if (/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(path)) return path
  throw new RangeError(
    `"path" expected names of letters, digits, ".", "_" and "-", got ${JSON.stringify(path)}`,
  )
}

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
