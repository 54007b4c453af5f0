import { blake3 } from '@affine/prng'
import { bytesToHex } from '@noble/hashes/utils.js'

/** Returns the hash of the concatenated parts: BLAKE3-256, except in vectors of other trees. */
export type HashFunction = (...parts: readonly Uint8Array[]) => Uint8Array

const LEAF = /* @__PURE__ */ Uint8Array.of(0)
const NODE = /* @__PURE__ */ Uint8Array.of(1)

/** Returns the hash of a line as a leaf: `hash(0x00 || line)`. Protocol §1.3. */
export const hashLeaf = (line: Uint8Array, hash: HashFunction = blake3): Uint8Array =>
  hash(LEAF, line)

/** Returns the number of leaves in the left half of a tree: the largest power of 2 below `size`. */
function leftSize(size: number): number {
  let left = 1
  while (2 * left < size) left *= 2
  return left
}

/** Returns the root over the hashes of leaves. A node is `hash(0x01 || left || right)`. */
function computeRoot(leaves: readonly Uint8Array[], hash: HashFunction): Uint8Array {
  const [first] = leaves
  if (first === undefined) return hash(new Uint8Array())
  if (leaves.length === 1) return first
  const left = leftSize(leaves.length)
  return hash(NODE, computeRoot(leaves.slice(0, left), hash), computeRoot(leaves.slice(left), hash))
}

/**
 * Returns the Merkle root of `lines` (32 bytes). Without lines it is the hash of no bytes. Protocol
 * §1.3.
 *
 * Source: RFC 9162, 2.1.1, with BLAKE3. Vectors: vectors/blocks/merkle-blake3.json.
 */
export function computeMerkleRoot(
  lines: readonly Uint8Array[],
  hash: HashFunction = blake3,
): Uint8Array {
  const leaves = lines.map((line) => hashLeaf(line, hash))
  return computeRoot(leaves, hash)
}

/**
 * Returns the siblings on the path from line `index` up to the root, lowest first (RFC 9162,
 * 2.1.3.1). Protocol §1.3.
 * @throws RangeError unless `index` is the index of a line.
 */
export function proveInclusion(
  lines: readonly Uint8Array[],
  index: number,
  hash: HashFunction = blake3,
): Uint8Array[] {
  if (!(index in lines))
    throw new RangeError(`"index" expected 0..${lines.length - 1}, got ${index}`)
  const proof: Uint8Array[] = []
  let leaves = lines.map((line) => hashLeaf(line, hash))
  let place = index
  while (leaves.length > 1) {
    const left = leftSize(leaves.length)
    const halves = [leaves.slice(0, left), leaves.slice(left)] as const
    const [own, other] = place < left ? halves : [halves[1], halves[0]]
    proof.unshift(computeRoot(other, hash))
    leaves = own
    if (place >= left) place -= left
  }
  return proof
}

export interface Inclusion {
  /** The line itself, not its hash. */
  readonly leaf: Uint8Array
  readonly index: number
  /** Number of lines in the tree. Its source must be as trustworthy as the root's. */
  readonly size: number
  /** The siblings, lowest first. */
  readonly proof: readonly Uint8Array[]
  readonly root: Uint8Array
  readonly hash?: HashFunction | undefined
}

/**
 * Reports whether `leaf` is line `index` of the `size` lines under `root`. Never throws. Protocol
 * §1.3.
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

/**
 * Returns the root that the siblings lead to. Null if a sibling is missing, unused or not a hash.
 */
function climb({
  leaf,
  index,
  size,
  proof,
  hash = blake3,
}: Omit<Inclusion, 'root'>): Uint8Array | null {
  if (size === 1) return proof.length === 0 ? hashLeaf(leaf, hash) : null
  const sibling = proof.at(-1)
  if (sibling?.length !== 32) return null
  const left = leftSize(size)
  const isLeft = index < left
  const half = isLeft ? { index, size: left } : { index: index - left, size: size - left }
  const node = climb({ leaf, ...half, proof: proof.slice(0, -1), hash })
  if (node === null) return null
  return isLeft ? hash(NODE, node, sibling) : hash(NODE, sibling, node)
}
