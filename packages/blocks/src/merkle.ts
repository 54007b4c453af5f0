import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** BLAKE3-256. Every function that hashes takes one, so that a faster one can be used where there is one. */
export type HashFunction = (bytes: Uint8Array) => Uint8Array

const HASH_BYTES = 32

/** Hash of one line as a leaf: `hash(0x00 || line)`. */
export function leafHash(line: Uint8Array, hash: HashFunction = blake3): Uint8Array {
  const input = new Uint8Array(1 + line.length)
  input.set(line, 1)
  return hash(input)
}

/** `hash(0x01 || left || right)`. */
function nodeHash(left: Uint8Array, right: Uint8Array, hash: HashFunction): Uint8Array {
  const input = new Uint8Array(1 + left.length + right.length)
  input[0] = 1
  input.set(left, 1)
  input.set(right, 1 + left.length)
  return hash(input)
}

/** The level above: pairs are hashed, an odd one at the end moves up as it is. Gives the shape of RFC 9162. */
function parents(level: readonly Uint8Array[], hash: HashFunction): Uint8Array[] {
  const above: Uint8Array[] = []
  for (let at = 0; at < level.length; at += 2) {
    const [left, right] = [level[at], level[at + 1]]
    if (left) above.push(right ? nodeHash(left, right, hash) : left)
  }
  return above
}

/**
 * Merkle root of `lines` (32 bytes); of no lines it is the hash of no bytes.
 *
 * Source: RFC 9162, 2.1.1, with BLAKE3. Vectors: vectors/blocks/merkle-blake3.json.
 */
export function merkleRoot(lines: readonly Uint8Array[], hash: HashFunction = blake3): Uint8Array {
  let level = lines.map((line) => leafHash(line, hash))
  while (level.length > 1) level = parents(level, hash)
  return level[0] ?? hash(new Uint8Array())
}

/**
 * The siblings on the way from line `index` up to the root, lowest first (RFC 9162, 2.1.3.1).
 * @throws RangeError unless `index` is the index of a line.
 */
export function inclusionProof(lines: readonly Uint8Array[], index: number, hash: HashFunction = blake3): Uint8Array[] {
  if (!(index in lines)) throw new RangeError(`"index" expected 0..${lines.length - 1}, got ${index}`)
  const proof: Uint8Array[] = []
  let level = lines.map((line) => leafHash(line, hash))
  for (let at = index; level.length > 1; at >>= 1) {
    const sibling = level[at ^ 1]
    if (sibling) proof.push(sibling)
    level = parents(level, hash)
  }
  return proof
}

/** The root that `proof` leads to from a leaf's hash, or null if it is not a path in a tree of `size` leaves. */
export function climb(
  leaf: Uint8Array,
  { index, size, proof, hash = blake3 }: Pick<Inclusion, 'index' | 'size' | 'proof' | 'hash'>,
): Uint8Array | null {
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index) || index < 0 || index >= size) return null
  if ([leaf, ...proof].some(({ length }) => length !== HASH_BYTES)) return null
  let node = leaf
  let used = 0
  // `at` is the node's place in its level and `last` that of the level's end; no bit operations, sizes reach 2^53.
  for (let at = index, last = size - 1; last > 0; at = Math.floor(at / 2), last = Math.floor(last / 2)) {
    const isRight = at % 2 === 1
    if (!isRight && at === last) continue
    const sibling = proof[used++]
    if (!sibling) return null
    node = isRight ? nodeHash(sibling, node, hash) : nodeHash(node, sibling, hash)
  }
  return used === proof.length ? node : null
}

export interface Inclusion {
  /** The line itself, not its hash. */
  readonly leaf: Uint8Array
  readonly index: number
  /** How many lines the tree has. Must be known from a source as good as the root's. */
  readonly size: number
  readonly proof: readonly Uint8Array[]
  readonly root: Uint8Array
  readonly hash?: HashFunction
}

/**
 * Is `leaf` line `index` of the `size` lines under `root`? Never throws.
 *
 * Source: RFC 9162, 2.1.3.2. Vectors: vectors/blocks/merkle-blake3.json, inclusion-sha256.json.
 */
export function verifyInclusion(inclusion: Inclusion): boolean {
  const root = climb(leafHash(inclusion.leaf, inclusion.hash), inclusion)
  return root !== null && bytesToHex(root) === bytesToHex(inclusion.root)
}
