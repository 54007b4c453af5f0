import { blake3 } from '@affine/prng'
import { bytesToHex } from '@noble/hashes/utils.js'

/** Of these bytes, one after the other: BLAKE3-256, but for the vectors of other trees. */
export type HashFunction = (...parts: readonly Uint8Array[]) => Uint8Array

const LEAF = /* @__PURE__ */ Uint8Array.of(0)
const NODE = /* @__PURE__ */ Uint8Array.of(1)

/** Hash of one line as a leaf: `hash(0x00 || line)`. Protocol §1.3. */
export const leafHash = (line: Uint8Array, hash: HashFunction = blake3): Uint8Array =>
  hash(LEAF, line)

/** The hashes of one level of a tree, one after the other. */
type Level = Uint8Array

const HASH_BYTES = 32

/** Some of a level's hashes. */
const hashesAt = (level: Level, place: number, count: number): Uint8Array =>
  level.subarray(place * HASH_BYTES, (place + count) * HASH_BYTES)

/** The levels of a tree of RFC 9162, from its leaves' hashes up to its root. Protocol §1.3. */
function levelsOf(lines: readonly Uint8Array[], hash: HashFunction): readonly Level[] {
  let level: Level = new Uint8Array(lines.length * HASH_BYTES)
  for (const [i, line] of lines.entries()) level.set(leafHash(line, hash), i * HASH_BYTES)
  const levels = [level]
  while (level.length > HASH_BYTES) {
    level = levelAbove(level, hash)
    levels.push(level)
  }
  return levels
}

/** The hashes of pairs, `hash(0x01 || left || right)`, from the left. Protocol §1.3. */
function levelAbove(level: Level, hash: HashFunction): Level {
  const count = level.length / HASH_BYTES
  const above = new Uint8Array(Math.ceil(count / 2) * HASH_BYTES)
  for (let place = 0; place < count; place += 2) {
    const pair = hashesAt(level, place, 2)
    // An odd one at the end goes up as it is.
    const node = pair.length > HASH_BYTES ? hash(NODE, pair) : pair
    above.set(node, (place / 2) * HASH_BYTES)
  }
  return above
}

/**
 * Merkle root of `lines` (32 bytes); of no lines it is the hash of no bytes. Protocol §1.3.
 *
 * Source: RFC 9162, 2.1.1, with BLAKE3. Vectors: vectors/blocks/merkle-blake3.json.
 */
export function merkleRoot(lines: readonly Uint8Array[], hash: HashFunction = blake3): Uint8Array {
  if (lines.length === 0) return hash(new Uint8Array())
  return levelsOf(lines, hash).at(-1) as Level
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
    const sibling = hashesAt(level, isRight ? place - 1 : place + 1, 1)
    // None for the root, and for an odd one at the end.
    if (sibling.length > 0) proof.push(sibling.slice())
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
      node = isRight ? hash(NODE, sibling, node) : hash(NODE, node, sibling)
    }
    place = placeAbove(place)
    last = placeAbove(last)
  }
  if (siblings.length > 0) return null
  return node
}
