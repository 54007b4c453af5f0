import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'

/**
 * BLAKE3-256. What hashes many lines takes one, so that a faster one can be used where there is
 * one.
 */
export type HashFunction = (bytes: Uint8Array) => Uint8Array

/** Hash of one line as a leaf: `hash(0x00 || line)`. */
export const leafHash = (line: Uint8Array, hash: HashFunction = blake3): Uint8Array =>
  hash(concatBytes(Uint8Array.of(0), line))

/** `hash(0x01 || left || right)`. */
const nodeHash = (left: Uint8Array, right: Uint8Array, hash: HashFunction): Uint8Array =>
  hash(concatBytes(Uint8Array.of(1), left, right))

/**
 * The levels of a tree, from its leaves' hashes up to its root: pairs are hashed, an odd one at the
 * end moves up as it is. Gives the shape of RFC 9162.
 */
function levels(lines: readonly Uint8Array[], hash: HashFunction): (readonly Uint8Array[])[] {
  let level = lines.map((line) => leafHash(line, hash))
  const all = [level]
  while (level.length > 1) {
    const lefts = level.filter((_, at) => at % 2 === 0)
    const rights = level.filter((_, at) => at % 2 === 1)
    level = lefts.map((left, i) => (rights[i] ? nodeHash(left, rights[i], hash) : left))
    all.push(level)
  }
  return all
}

/**
 * Merkle root of `lines` (32 bytes); of no lines it is the hash of no bytes.
 *
 * Source: RFC 9162, 2.1.1, with BLAKE3. Vectors: vectors/blocks/merkle-blake3.json.
 */
export function merkleRoot(lines: readonly Uint8Array[], hash: HashFunction = blake3): Uint8Array {
  return levels(lines, hash).at(-1)?.[0] ?? hash(new Uint8Array())
}

/**
 * The siblings on the way from line `index` up to the root, lowest first (RFC 9162, 2.1.3.1).
 * @throws RangeError unless `index` is the index of a line.
 */
export function inclusionProof(
  lines: readonly Uint8Array[],
  index: number,
  hash: HashFunction = blake3,
): Uint8Array[] {
  if (!(index in lines))
    throw new RangeError(`"index" expected 0..${lines.length - 1}, got ${index}`)
  return levels(lines, hash).flatMap((level, height) => level[(index >> height) ^ 1] ?? [])
}

export interface Inclusion {
  /** The line itself, not its hash. */
  readonly leaf: Uint8Array
  readonly index: number
  /** How many lines the tree has. Must be known from a source as good as the root's. */
  readonly size: number
  /** The siblings, lowest first. */
  readonly proof: readonly Uint8Array[]
  readonly root: Uint8Array
  readonly hash?: HashFunction | undefined
}

/**
 * Is `leaf` line `index` of the `size` lines under `root`? Never throws.
 *
 * Source: RFC 9162, 2.1.3.2. Vectors: vectors/blocks/merkle-blake3.json, inclusion-sha256.json.
 */
export function verifyInclusion({
  leaf,
  index,
  size,
  proof,
  root,
  hash = blake3,
}: Inclusion): boolean {
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index) || index < 0 || index >= size)
    return false
  const siblings = [...proof]
  let node = leafHash(leaf, hash)
  // `at` is the node's place in its level and `last` that of the level's end; no bit operations,
  // sizes reach 2^53.
  for (
    let at = index, last = size - 1;
    last > 0;
    at = Math.floor(at / 2), last = Math.floor(last / 2)
  ) {
    const isRight = at % 2 === 1
    if (!isRight && at === last) continue
    const sibling = siblings.shift()
    if (sibling?.length !== 32) return false
    node = isRight ? nodeHash(sibling, node, hash) : nodeHash(node, sibling, hash)
  }
  return siblings.length === 0 && root.length === 32 && bytesToHex(node) === bytesToHex(root)
}
