import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'

/** BLAKE3-256. What hashes many lines takes one, so that a faster one can be used where there is one. */
export type HashFunction = (bytes: Uint8Array) => Uint8Array

/** Hash of one line as a leaf: `hash(0x00 || line)`. */
export const leafHash = (line: Uint8Array, hash: HashFunction = blake3): Uint8Array =>
  hash(concatBytes(Uint8Array.of(0), line))

/** `hash(0x01 || left || right)`. */
const nodeHash = (left: Uint8Array, right: Uint8Array, hash: HashFunction): Uint8Array =>
  hash(concatBytes(Uint8Array.of(1), left, right))

/**
 * The levels of a tree, from its leaves' hashes up to its root: pairs are hashed, an odd one at the end moves up as it
 * is. Gives the shape of RFC 9162.
 */
function levels(level: readonly Uint8Array[], hash: HashFunction): (readonly Uint8Array[])[] {
  if (level.length < 2) return [level]
  const lefts = level.filter((_, at) => at % 2 === 0)
  const above = lefts.map((left, i) => {
    const right = level[2 * i + 1]
    return right ? nodeHash(left, right, hash) : left
  })
  return [level, ...levels(above, hash)]
}

/**
 * Merkle root of `lines` (32 bytes); of no lines it is the hash of no bytes.
 *
 * Source: RFC 9162, 2.1.1, with BLAKE3. Vectors: vectors/blocks/merkle-blake3.json.
 */
export function merkleRoot(lines: readonly Uint8Array[], hash: HashFunction = blake3): Uint8Array {
  const leaves = lines.map((line) => leafHash(line, hash))
  return levels(leaves, hash).at(-1)?.[0] ?? hash(new Uint8Array())
}

/**
 * The siblings on the way from line `index` up to the root, lowest first (RFC 9162, 2.1.3.1).
 * @throws RangeError unless `index` is the index of a line.
 */
export function inclusionProof(lines: readonly Uint8Array[], index: number, hash: HashFunction = blake3): Uint8Array[] {
  if (!(index in lines)) throw new RangeError(`"index" expected 0..${lines.length - 1}, got ${index}`)
  const leaves = lines.map((line) => leafHash(line, hash))
  return levels(leaves, hash).flatMap((level, height) => level[(index >> height) ^ 1] ?? [])
}

/** A path from a leaf to its root. */
interface Path {
  readonly index: number
  /** How many lines the tree has. Must be known from a source as good as the root's. */
  readonly size: number
  readonly proof: readonly Uint8Array[]
  readonly hash?: HashFunction | undefined
}

/** The root that `proof` leads to from a leaf's hash, or null if it is not a path in a tree of `size` leaves. */
export function climb(leaf: Uint8Array, { index, size, proof, hash = blake3 }: Path): Uint8Array | null {
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index) || index < 0 || index >= size) return null
  if ([leaf, ...proof].some(({ length }) => length !== 32)) return null
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

export interface Inclusion extends Path {
  /** The line itself, not its hash. */
  readonly leaf: Uint8Array
  readonly root: Uint8Array
}

/**
 * Is `leaf` line `index` of the `size` lines under `root`? Never throws.
 *
 * Source: RFC 9162, 2.1.3.2. Vectors: vectors/blocks/merkle-blake3.json, inclusion-sha256.json.
 */
export function verifyInclusion({ leaf, root, ...path }: Inclusion): boolean {
  const reached = climb(leafHash(leaf, path.hash), path)
  return reached !== null && bytesToHex(reached) === bytesToHex(root)
}
