import type { Hash } from '@affine/prng'
import { anyText, hex, list, record, uint } from '@affine/prng/shape'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Block, hashBlock, toLine, type Verify } from './block.ts'
import { type EvidenceResult, type Failure, fault, faultAt } from './fault.ts'
import {
  conform,
  type Header,
  LIMITS,
  readHeader,
  readLine,
  readSample,
  type Sample,
} from './line.ts'
import { computeMerkleRoot, proveInclusion, verifyInclusion } from './merkle.ts'
import { checkScope, type LaneId, type LaneQuotas, planLane } from './plan.ts'

/**
 * One sample and its path to a sealed head, as JSON. Lines are text, because hashes cover their
 * bytes. Protocol §6.6.
 */
export interface SampleProof {
  readonly sample: string
  readonly index: number
  /** Siblings up to the block's root, lowest first. */
  readonly path: readonly Hash[]
  /** Header of the sample's block. */
  readonly header: string
  readonly signature: string
  /** Headers of the later blocks, up to the head's. Empty if the sample's block is the head. */
  readonly links: readonly string[]
}

/** Number of siblings of a leaf in a tree of `LIMITS.blockSamples` = 2^11 leaves. */
const MAX_PATH = 11

/** Limits of bytes are used as limits of characters: a line of n bytes has at most n characters. */
const proofShape = record<SampleProof>({
  sample: anyText(LIMITS.sampleBytes),
  index: uint(LIMITS.blockSamples - 1),
  path: list(hex(32), MAX_PATH),
  header: anyText(LIMITS.headerBytes),
  signature: hex(64),
  links: list(anyText(LIMITS.headerBytes)),
})

/**
 * Returns the proof of sample `index` of `block` under a lane's head. `after` contains the headers
 * of the lane's later blocks, in order. Protocol §6.6.
 * @throws RangeError unless `index` is the index of a sample, and each header of `after` follows
 *   the block before it.
 */
export function proveSample(
  block: Block,
  index: number,
  after: readonly Header[] = [],
): SampleProof {
  const { hash, header, signature, samples } = block
  const lines = samples.map(toLine)
  const path = proveInclusion(lines.map(utf8ToBytes), index).map(bytesToHex)
  // The cast is safe: `proveInclusion` throws for any other index.
  const sample = lines[index] as string
  const links = after.map(toLine)
  if (!areLinked(hash, links)) throw new RangeError('"after" expected the headers after the block')
  return { sample, index, path, header: toLine(header), signature, links }
}

/** Maximum bytes of a proof file. Protocol §6.6. */
export const PROOF_BYTES: number = 16 * LIMITS.sampleBytes

/** The proof in a file, with the header and the hash of the sample's block. */
export interface ReadProof {
  readonly proof: SampleProof
  readonly header: Header
  readonly block: Hash
}

/** Reads the bytes of a proof file. Verifies only its schema. Never throws. Protocol §6.6. */
export function readProof(bytes: Uint8Array): EvidenceResult<ReadProof> {
  const read = readLine(bytes, PROOF_BYTES, proofShape, 'BAD_PROOF')
  return read.ok ? readProofHeader(read.value) : read
}

function readProofHeader(proof: SampleProof): EvidenceResult<ReadProof> {
  const line = utf8ToBytes(proof.header)
  const header = readHeader(line)
  if (!header.ok) return faultAt('the header', fault('BAD_PROOF', header.detail))
  return { ok: true, value: { proof, header: header.value, block: hashBlock(line) } }
}

interface ProofTarget {
  /** Head that the validator sealed in the epoch. */
  readonly head: Hash
  /** The lane, and its quotas, which limit the number of its blocks. */
  readonly scope: LaneId & LaneQuotas
  readonly verify: Verify
}

/** One of the checks of Protocol §6.6. */
export interface ProofStep {
  readonly code: 'form' | 'scope' | 'headers' | 'head' | 'signature' | 'inclusion' | 'sample'
  /** Null if the step succeeds. */
  readonly fault: Failure | null
  /** Compared values by name. */
  readonly values: Readonly<Record<string, string | number | readonly string[]>>
}

/** The result of verifying a proof. */
export interface ProofVerdict {
  /** The sample, or the fault of the first failed step. */
  readonly result: EvidenceResult<Sample>
  /** Every step, or only a failed step on which all others depend: see `failProof`. */
  readonly steps: readonly ProofStep[]
}

/**
 * Verifies that the validator of `scope` signed a sample for the chain, subnet and epoch of
 * `scope`, and that the sample is in the chain of blocks that ends at `head`. Never throws for a
 * parsed `proof`. Does not verify the rest of the lane, or replay the transcript. Protocol §6.6.
 */
export function judgeSampleProof(
  proof: unknown,
  { head, scope, verify }: ProofTarget,
): ProofVerdict {
  const conforming = conform(proof, proofShape, 'BAD_PROOF')
  const read = conforming.ok ? readProofHeader(conforming.value) : conforming
  if (!read.ok) return failProof('form', read)
  const { header, block: hash } = read.value
  const { index, path, signature, links, ...lines } = read.value.proof
  const { genesis, netuid, validator, epoch, count, root } = header
  const after = links.map(hashLine)
  const last = after.at(-1) ?? hash
  const leaf = utf8ToBytes(lines.sample)
  const sample = readSample(leaf)
  const proved = { leaf, index, size: count, proof: path.map(hexToBytes), root: hexToBytes(root) }
  const isSigned = verify(hexToBytes(hash), hexToBytes(signature), validator)
  const unlinked = fault('BAD_PROOF', `expected linked headers up to ${head}`)
  const unsigned = fault('WRONG_SIGNATURE', `expected a signature by ${validator}`)
  const notIncluded = fault('BAD_PROOF', `expected sample ${index} of ${count} under ${root}`)
  const linkFault = checkLinkCount(links, scope) ?? faultUnless(areLinked(hash, links), unlinked)
  const inclusion = { leaf: bytesToHex(computeMerkleRoot([leaf])), index, count, path, root }
  const steps = [
    stepOf('form', null),
    stepOf('scope', checkScope('BAD_PROOF', header, scope), { genesis, netuid, validator, epoch }),
    stepOf('headers', linkFault, { block: hash, after }),
    stepOf('head', faultUnless(last === head, unlinked), { last, head }),
    stepOf('signature', faultUnless(isSigned, unsigned), { hash, validator, signature }),
    stepOf('inclusion', faultUnless(verifyInclusion(proved), notIncluded), inclusion),
    stepOf('sample', sample.ok ? null : sample),
  ]
  const failed = steps.find((step) => step.fault !== null)
  return { result: failed?.fault ?? sample, steps }
}

const stepOf = (
  code: ProofStep['code'],
  fault: Failure | null,
  values: ProofStep['values'] = {},
): ProofStep => ({ code, fault, values })

const faultUnless = (holds: boolean, failure: Failure): Failure | null => (holds ? null : failure)

/** Returns the verdict of a proof that fails at a step on which all other steps depend. */
export const failProof = (code: ProofStep['code'], failure: Failure): ProofVerdict => ({
  result: failure,
  steps: [stepOf(code, failure)],
})

/**
 * Returns a fault if there are more links than samples in the lane, or null. Every block except the
 * last is full, so a valid lane has no more. Protocol §6.6.
 */
function checkLinkCount(links: readonly string[], scope: ProofTarget['scope']): Failure | null {
  const max = planLane(scope).length
  if (links.length <= max) return null
  return fault('BAD_PROOF', `expected at most ${max} links, got ${links.length}`)
}

const hashLine = (headerLine: string): Hash => hashBlock(utf8ToBytes(headerLine))

/**
 * Reports whether each link is a header whose `prev` is the hash of the link before it, or `hash`
 * for the first link. Protocol §6.6.
 */
function areLinked(hash: Hash, links: readonly string[]): boolean {
  const before = [hash, ...links.map(hashLine)]
  return links.every((link, i) => {
    const header = readHeader(utf8ToBytes(link))
    return header.ok && header.value.prev === before[i]
  })
}
