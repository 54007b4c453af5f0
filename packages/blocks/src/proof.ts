import { canonicalize, type Hash, type Json, type Result } from '@affine/prng'
import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Block, type BlockTrust, blockHash, type Header, readHeader } from './block.ts'
import { type BlockFault, fault } from './fault.ts'
import { LIMITS } from './limits.ts'
import { type HashFunction, inclusionProof, verifyInclusion } from './merkle.ts'
import { readSample, type Sample } from './sample.ts'
import { anyText, at, hash, integer, list, object, signature as signatureShape } from './shape.ts'

/** One sample and all that links it to an anchored head, as JSON. Lines are kept as text: hashes are over their bytes. */
export interface SampleProof {
  readonly sample: string
  readonly index: number
  /** Siblings up to the block's root, lowest first. */
  readonly path: readonly Hash[]
  /** The header of the sample's block. */
  readonly header: string
  readonly signature: string
  /** The headers after it, up to the head's; none if the sample's block is the head. */
  readonly links: readonly string[]
}

const proofShape = object({
  sample: anyText,
  index: integer(0, LIMITS.blockSamples - 1),
  path: list(hash),
  header: anyText,
  signature: signatureShape,
  links: list(anyText),
})

/**
 * Proves sample `index` of `block` under a lane's head. `after` are the headers of the lane's blocks after this one,
 * in order, the head's last: none if `block` is the head.
 * @throws RangeError unless `index` is the index of a sample, and `after` links this block to its last header.
 */
export function sampleProof(
  { hash, header, signature, samples, lines }: Block,
  index: number,
  after: readonly Header[] = [],
  hashFunction: HashFunction = blake3,
): SampleProof {
  const sample = samples[index]
  if (sample === undefined) throw new RangeError(`"index" expected 0..${samples.length - 1}, got ${index}`)
  const links = after.map(toText)
  if (lastHash(hash, links, hashFunction) === null) throw new RangeError('"after" expected the headers after the block')
  const path = inclusionProof(lines, index, hashFunction).map(bytesToHex)
  return { sample: toText(sample), index, path, header: toText(header), signature, links }
}

export interface ProofTrust extends Omit<BlockTrust, 'hash'> {
  /** The hash on chain. */
  readonly head: Hash
}

/**
 * The sample, if it was signed and lies under the chain of blocks that ends at `head`. Needs no other data, and never
 * throws, whatever `proof` is parsed from. Says nothing of the rest of the lane, nor that the transcript replays.
 */
export function verifySampleProof(proof: unknown, trust: ProofTrust): Result<Sample, BlockFault> {
  const { head, verify, hashFunction = blake3 } = trust
  const wrong = proofShape(proof)
  if (wrong !== null) return fault('BAD_PROOF', `proof${wrong}`)
  const { sample, index, path, header, signature, links } = proof as SampleProof

  const headerLine = utf8ToBytes(header)
  const read = readHeader(headerLine)
  if (!read.ok) return at('header', read)
  const { validator, count, root } = read.value
  const hash = blockHash(headerLine, hashFunction)
  const last = lastHash(hash, links, hashFunction)
  if (last !== head) return fault('NOT_LINKED', `expected to end at ${head}, got ${last ?? 'headers that do not link'}`)
  if (!verify(hexToBytes(hash), hexToBytes(signature), validator)) return fault('WRONG_SIGNATURE', `not ${validator}'s`)
  const leaf = utf8ToBytes(sample)
  const inclusion = {
    leaf,
    index,
    size: count,
    proof: path.map(hexToBytes),
    root: hexToBytes(root),
    hash: hashFunction,
  }
  if (!verifyInclusion(inclusion)) return fault('NOT_INCLUDED', `not sample ${index} of ${count} under ${root}`)
  const found = readSample(leaf)
  return found.ok ? found : at('sample', found)
}

/** Where header lines lead that follow block `hash`, each with the hash before it as `prev`; null if one does not. */
function lastHash(hash: Hash, links: readonly string[], hashFunction: HashFunction): Hash | null {
  let last = hash
  for (const link of links) {
    const line = utf8ToBytes(link)
    const header = readHeader(line)
    if (!header.ok || header.value.prev !== last) return null
    last = blockHash(line, hashFunction)
  }
  return last
}

const toText = (value: object): string => canonicalize(value as Json)
