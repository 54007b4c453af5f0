import type { Hash } from '@affine/prng'
import { anyText, hex, list, record, uint } from '@affine/prng/shape'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Block, blockHash, toLine, type Verify } from './block.ts'
import { type EvidenceResult, type Failure, fault, faultAt } from './fault.ts'
import { checkShape, type Header, LIMITS, readHeader, readSample, type Sample } from './line.ts'
import { inclusionProof, merkleRoot, verifyInclusion } from './merkle.ts'
import { type LaneId, type LaneQuotas, planOf, checkScope } from './plan.ts'

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
const MAX_PATH = 11

/** A line of at most so many bytes has no more characters. */
const proofShape = record<SampleProof>({
  sample: anyText(LIMITS.sampleBytes),
  index: uint(LIMITS.blockSamples - 1),
  path: list(hex(32), MAX_PATH),
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
  if (followLinks(hash, links) === null)
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

/** One of the checks of Protocol §6.6. */
export interface ProofStep {
  readonly code: 'form' | 'scope' | 'headers' | 'head' | 'signature' | 'inclusion' | 'sample'
  /** Null if the step holds. */
  readonly fault: Failure | null
  /** What is compared, by name. */
  readonly values: Readonly<Record<string, string | number | readonly string[]>>
}

/** What comes of a proof. */
export interface ProofVerdict {
  /** The sample, or the fault of the first step that does not hold. */
  readonly result: EvidenceResult<Sample>
  /** The sample, proved or not. Undefined if its line cannot be read. */
  readonly sample?: Sample | undefined
  /** Only the first step if the proof or its header has not the form of Protocol §6.6. */
  readonly steps: readonly ProofStep[]
}

/**
 * Verifies that the validator of `scope` signed a sample for that chain, subnet and epoch, and that
 * it lies under the chain of blocks that ends at `head`. Returns the sample or the fault, and every
 * step. Needs no other data, and never throws, whatever `proof` is parsed from. Does not verify the
 * rest of the lane, or that the transcript replays. Protocol §6.6.
 */
export function judgeSampleProof(
  proof: unknown,
  { head, scope, verify }: ProofTarget,
): ProofVerdict {
  const read = checkShape(proof, proofShape, 'BAD_PROOF')
  if (!read.ok) return failForm(read)
  const { index, path, header, signature, links } = read.value
  const block = readHeader(utf8ToBytes(header))
  if (!block.ok) return failForm(faultAt('the header', fault('BAD_PROOF', block.detail)))
  const { genesis, netuid, validator, epoch, count, root } = block.value
  const [hash = '', ...after] = [header, ...links].map((line) => blockHash(utf8ToBytes(line)))
  const last = after.at(-1) ?? hash
  const leaf = utf8ToBytes(read.value.sample)
  const sample = readSample(leaf)
  const proved = { leaf, index, size: count, proof: path.map(hexToBytes), root: hexToBytes(root) }
  const isSigned = verify(hexToBytes(hash), hexToBytes(signature), validator)
  const unlinked = fault('BAD_PROOF', `expected headers up to ${head}`)
  const unsigned = fault('WRONG_SIGNATURE', `not ${validator}'s`)
  const notIncluded = fault('BAD_PROOF', `expected sample ${index} of ${count} under ${root}`)
  const steps: readonly ProofStep[] = [
    { code: 'form', fault: null, values: {} },
    {
      code: 'scope',
      fault: checkScope('BAD_PROOF', block.value, scope),
      values: { genesis, netuid, validator, epoch },
    },
    {
      code: 'headers',
      fault: checkLinkCount(links, scope) ?? faultUnless(followLinks(hash, links) !== null, unlinked),
      values: { block: hash, after },
    },
    { code: 'head', fault: faultUnless(last === head, unlinked), values: { last, head } },
    {
      code: 'signature',
      fault: faultUnless(isSigned, unsigned),
      values: { hash, validator, signature },
    },
    {
      code: 'inclusion',
      fault: faultUnless(verifyInclusion(proved), notIncluded),
      values: { leaf: bytesToHex(merkleRoot([leaf])), index, count, path, root },
    },
    { code: 'sample', fault: sample.ok ? null : sample, values: {} },
  ]
  const failed = steps.find((step) => step.fault !== null)
  return { result: failed?.fault ?? sample, sample: sample.ok ? sample.value : undefined, steps }
}

const faultUnless = (holds: boolean, failure: Failure): Failure | null => (holds ? null : failure)

const failForm = (failure: Failure): ProofVerdict => ({
  result: failure,
  steps: [{ code: 'form', fault: failure, values: {} }],
})

/**
 * Every block but the lane's last is full, so no more can follow one than the lane has samples.
 * Protocol §6.6.
 */
function checkLinkCount(links: readonly string[], scope: ProofTarget['scope']): Failure | null {
  const most = planOf(scope).length
  if (links.length <= most) return null
  return fault('BAD_PROOF', `expected at most ${most} links, got ${links.length}`)
}

/**
 * The hash of the last of these header lines, or `hash` if there are none; null unless each has the
 * hash of the block before it as `prev`, the first one `hash` itself. Protocol §6.6.
 */
export function followLinks(hash: Hash, links: readonly string[]): Hash | null {
  let last = hash
  for (const link of links) {
    const line = utf8ToBytes(link)
    const header = readHeader(line)
    if (!header.ok || header.value.prev !== last) return null
    last = blockHash(line)
  }
  return last
}
