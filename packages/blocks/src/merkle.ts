import { blake3 } from '@affine/prng'
import { bytesToHex } from '@noble/hashes/utils.js'

const LEAF = /* @__PURE__ */ Uint8Array.of(0)
/** A shared buffer for a node's tag and two hashes: hashing three parts takes longer. */
const node = /* @__PURE__ */ new Uint8Array(65).fill(1)

/** Returns the hash of a line as a leaf: `BLAKE3(0x00 || line)`. Protocol §1.3. */
export const hashLeaf = (line: Uint8Array): Uint8Array => blake3(LEAF, line)

function hashNode(left: Uint8Array, right: Uint8Array): Uint8Array {
  node.set(left, 1)
  node.set(right, 33)
  return blake3(node)
}

/** Returns the number of leaves in the left half of a tree: the largest power of 2 below `size`. */
function leftSize(size: number): number {
  let left = 1
  while (2 * left < size) left *= 2
  return left
}

/** Returns the root over the hashes of leaves. A node is `BLAKE3(0x01 || left || right)`. */
function computeRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length <= 1) return leaves[0] ?? blake3()
  const left = leftSize(leaves.length)
  return hashNode(computeRoot(leaves.slice(0, left)), computeRoot(leaves.slice(left)))
}

/**
 * Returns the Merkle root of `lines` (32 bytes). Without lines it is the hash of no bytes. Protocol
 * §1.3.
 *
 * Source: RFC 9162, 2.1.1, with BLAKE3. Vectors: vectors/blocks/merkle-blake3.json.
 */
export const computeMerkleRoot = (lines: readonly Uint8Array[]): Uint8Array =>
  computeRoot(lines.map(hashLeaf))

/**
 * Returns the siblings from line `index` up to the root, lowest first (RFC 9162, 2.1.3.1). Protocol
 * §1.3.
 * @throws RangeError unless `index` is the index of a line.
 */
export function proveInclusion(lines: readonly Uint8Array[], index: number): Uint8Array[] {
  if (!(index in lines))
    throw new RangeError(`"index" expected 0..${lines.length - 1}, got ${index}`)
  return findSiblings(lines.map(hashLeaf), index)
}

function findSiblings(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  if (leaves.length === 1) return []
  const left = leftSize(leaves.length)
  const [first, second] = [leaves.slice(0, left), leaves.slice(left)]
  return index < left
    ? [...findSiblings(first, index), computeRoot(second)]
    : [...findSiblings(second, index - left), computeRoot(first)]
}

export interface Inclusion {
  /** The line itself, not its hash. */
  readonly leaf: Uint8Array
  readonly index: number
  /** Number of lines in the tree. Its source must be as trustworthy as the root's. */
  readonly size: number
  /** Siblings, lowest first. */
  readonly proof: readonly Uint8Array[]
  readonly root: Uint8Array
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
 * Returns the root to which leaf and siblings lead. Null if a sibling is missing, unused or not a
 * hash.
 */
function climb({ leaf, index, size, proof }: Omit<Inclusion, 'root'>): Uint8Array | null {
  if (size === 1) return proof.length === 0 ? hashLeaf(leaf) : null
  const sibling = proof.at(-1)
  if (sibling?.length !== 32) return null
  const left = leftSize(size)
  const isLeft = index < left
  const half = isLeft ? { index, size: left } : { index: index - left, size: size - left }
  const own = climb({ leaf, ...half, proof: proof.slice(0, -1) })
  if (own === null) return null
  return isLeft ? hashNode(own, sibling) : hashNode(sibling, own)
}
