import type { Hash } from '@affine/prng'
import { anyText, hex, list, record, uint } from '@affine/prng/shape'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Block, blockHash, toLine, type Verify } from './block.ts'
import { type EvidenceResult, type Failure, fault, faultAt } from './fault.ts'
import { conform, type Header, LIMITS, readHeader, readSample, type Sample } from './line.ts'
import { inclusionProof, verifyInclusion } from './merkle.ts'
import { type LaneId, type LaneQuotas, planOf, scopeFault } from './plan.ts'

/**
 * One sample and all that links it to an anchored head, as JSON. Lines are kept as text: hashes are
 * over their bytes. Protocol §6.6.
 */
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

/** How many siblings a leaf has below the root of `LIMITS.blockSamples` = 2^11 leaves. */
const PATH_MOST = 11

/** A line of at most so many bytes has no more characters. */
const proofShape = record<SampleProof>({
  sample: anyText(LIMITS.sampleBytes),
  index: uint(LIMITS.blockSamples - 1),
  path: list(hex(32), PATH_MOST),
  header: anyText(LIMITS.headerBytes),
  signature: hex(64),
  links: list(anyText(LIMITS.headerBytes)),
})

/**
 * Proves sample `index` of `block` under a lane's head. `after` are the headers of the lane's
 * blocks after this one, in order, the head's last: none if `block` is the head. Protocol §6.6.
 * @throws RangeError unless `index` is the index of a sample, and `after` links this block to its
 *   last header.
 */
export function sampleProof(
  block: Block,
  index: number,
  after: readonly Header[] = [],
): SampleProof {
  const { hash, header, signature, samples } = block
  const lines = samples.map(toLine)
  const path = inclusionProof(lines.map(utf8ToBytes), index).map(bytesToHex)
  // There is one: the proof would have thrown.
  const sample = lines[index] as string
  const links = after.map(toLine)
  if (headAfter(hash, links) === null)
    throw new RangeError('"after" expected the headers after the block')
  return { sample, index, path, header: toLine(header), signature, links }
}

/** What a proof has to be about, and what it has to be proved by. */
interface ProofTarget {
  /** What the validator sealed in the epoch. */
  readonly head: Hash
  /** Whose lane of which epoch it is, and the quotas, which bound how many blocks it has. */
  readonly scope: LaneId & LaneQuotas
  readonly verify: Verify
}

/**
 * The sample, if the validator of `scope` signed it for that chain, subnet and epoch, and it lies
 * under the chain of blocks that ends at `head`. Needs no other data, and never throws, whatever
 * `proof` is parsed from. Says nothing of the rest of the lane, nor that the transcript replays.
 * Protocol §6.6.
 */
export function verifySampleProof(
  proof: unknown,
  { head, scope, verify }: ProofTarget,
): EvidenceResult<Sample> {
  const read = conform(proof, proofShape, 'BAD_PROOF')
  if (!read.ok) return read
  const { sample, index, path, header, signature, links } = read.value

  const headerLine = utf8ToBytes(header)
  const block = readHeader(headerLine)
  if (!block.ok) return faultAt('the header', fault('BAD_PROOF', block.detail))
  const stray = scopeFault('BAD_PROOF', block.value, scope) ?? excessOf(links, scope)
  if (stray !== null) return stray
  const hash = blockHash(headerLine)
  if (headAfter(hash, links) !== head) return fault('BAD_PROOF', `expected headers up to ${head}`)
  const { validator, count, root } = block.value
  if (!verify(hexToBytes(hash), hexToBytes(signature), validator))
    return fault('WRONG_SIGNATURE', `not ${validator}'s`)
  const proved = {
    leaf: utf8ToBytes(sample),
    index,
    size: count,
    proof: path.map(hexToBytes),
    root: hexToBytes(root),
  }
  if (!verifyInclusion(proved))
    return fault('BAD_PROOF', `expected sample ${index} of ${count} under ${root}`)
  return readSample(proved.leaf)
}

/**
 * Every block but the lane's last is full, so no more can follow one than the lane has samples.
 * Protocol §6.6.
 */
function excessOf(links: readonly string[], scope: ProofTarget['scope']): Failure | null {
  const most = planOf(scope).length
  if (links.length <= most) return null
  return fault('BAD_PROOF', `expected at most ${most} links, got ${links.length}`)
}

/**
 * The hash of the last of these header lines, or `hash` if there are none; null unless each has the
 * hash of the block before it as `prev`, the first one `hash` itself. Protocol §6.6.
 */
export function headAfter(hash: Hash, links: readonly string[]): Hash | null {
  let last = hash
  for (const link of links) {
    const line = utf8ToBytes(link)
    const header = readHeader(line)
    if (!header.ok || header.value.prev !== last) return null
    last = blockHash(line)
  }
  return last
}
