import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'

/**
 * BLAKE3-256. What hashes many lines takes one, so that a faster one can be used where there is
 * one.
 */
export type HashFunction = (bytes: Uint8Array) => Uint8Array

/** Hash of one line as a leaf: `hash(0x00 || line)`. Protocol §1.3. */
export const leafHash = (line: Uint8Array, hash: HashFunction = blake3): Uint8Array =>
  hash(concatBytes(Uint8Array.of(0), line))

/** `hash(0x01 || left || right)`. Protocol §1.3. */
const nodeHash = (left: Uint8Array, right: Uint8Array, hash: HashFunction): Uint8Array =>
  hash(concatBytes(Uint8Array.of(1), left, right))

/** The levels of a tree of RFC 9162, from its leaves' hashes up to its root. Protocol §1.3. */
function levelsOf(lines: readonly Uint8Array[], hash: HashFunction): (readonly Uint8Array[])[] {
  let level: readonly Uint8Array[] = lines.map((line) => leafHash(line, hash))
  const levels = [level]
  while (level.length > 1) {
    level = levelAbove(level, hash)
    levels.push(level)
  }
  return levels
}

/** The hashes of pairs, from the left. Protocol §1.3. */
function levelAbove(level: readonly Uint8Array[], hash: HashFunction): readonly Uint8Array[] {
  const above: Uint8Array[] = []
  let left: Uint8Array | null = null
  for (const node of level) {
    if (left === null) {
      left = node
    } else {
      above.push(nodeHash(left, node, hash))
      left = null
    }
  }
  // An odd one at the end goes up as it is.
  if (left !== null) above.push(left)
  return above
}

/**
 * Merkle root of `lines` (32 bytes); of no lines it is the hash of no bytes. Protocol §1.3.
 *
 * Source: RFC 9162, 2.1.1, with BLAKE3. Vectors: vectors/blocks/merkle-blake3.json.
 */
export function merkleRoot(lines: readonly Uint8Array[], hash: HashFunction = blake3): Uint8Array {
  const [root] = levelsOf(lines, hash).at(-1) ?? []
  return root ?? hash(new Uint8Array())
}

/**
 * The siblings on the way from line `index` up to the root, lowest first (RFC 9162, 2.1.3.1).
 * Protocol §1.3.
 * @throws RangeError unless `index` is the index of a line.
 */
export function inclusionProof(
  lines: readonly Uint8Array[],
  index: number,
  hash: HashFunction = blake3,
): Uint8Array[] {
  if (!(index in lines))
    throw new RangeError(`"index" expected 0..${lines.length - 1}, got ${index}`)
  const proof: Uint8Array[] = []
  let place = index
  for (const level of levelsOf(lines, hash)) {
    const isRight = place % 2 === 1
    const sibling = level[isRight ? place - 1 : place + 1]
    // None for the root, and for an odd one at the end.
    if (sibling !== undefined) proof.push(sibling)
    place = placeAbove(place)
  }
  return proof
}

/** Where a pair's hash stands in the level above. No bit operation: sizes reach 2^53. */
const placeAbove = (place: number): number => Math.floor(place / 2)

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
 * Is `leaf` line `index` of the `size` lines under `root`? Never throws. Protocol §1.3.
 *
 * Source: RFC 9162, 2.1.3.2. Vectors: vectors/blocks/merkle-blake3.json, inclusion-sha256.json.
 */
export function verifyInclusion(inclusion: Inclusion): boolean {
  const { index, size, root } = inclusion
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index)) return false
  if (index < 0 || index >= size) return false
  const reached = climb(inclusion)
  if (reached === null || root.length !== 32) return false
  return bytesToHex(reached) === bytesToHex(root)
}

/** Where the siblings lead from the leaf; null if one is no hash, is missing, or is left over. */
function climb({ leaf, index, size, proof, hash = blake3 }: Inclusion): Uint8Array | null {
  const siblings = [...proof]
  let node = leafHash(leaf, hash)
  // The node's place in its level, and that of the level's end.
  let place = index
  let last = size - 1
  while (last > 0) {
    const isRight = place % 2 === 1
    const hasSibling = isRight || place < last
    if (hasSibling) {
      const sibling = siblings.shift()
      if (sibling?.length !== 32) return null
      node = isRight ? nodeHash(sibling, node, hash) : nodeHash(node, sibling, hash)
    }
    place = placeAbove(place)
    last = placeAbove(last)
  }
  if (siblings.length > 0) return null
  return node
}
