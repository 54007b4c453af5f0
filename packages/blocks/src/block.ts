import { canonicalize, type Hash, type Json } from '@affine/prng'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type EvidenceResult, fault, faultAt } from './fault.ts'
import { decodeUtf8, type Header, LIMITS, readHeader, readSample, type Sample } from './line.ts'
import { computeMerkleRoot, hashLeaf } from './merkle.ts'
import { checkScope, type LaneId } from './plan.ts'

/**
 * Reports whether `signature` is the hotkey's signature of `message`. Must not throw on any bytes.
 * Protocol §1.4.
 */
export type Verify = (message: Uint8Array, signature: Uint8Array, hotkey: string) => boolean
/** Returns the 64-byte signature of a block's 32-byte hash. Protocol §1.4. */
export type Sign = (message: Uint8Array) => Uint8Array | Promise<Uint8Array>

/** One block of a lane. Protocol §6.2. */
export interface Block {
  readonly hash: Hash
  readonly header: Header
  /** 128 hex digits. */
  readonly signature: string
  readonly samples: readonly Sample[]
}

/** The `prev` of a validator's first block. Protocol §6.2. */
export const NO_BLOCK: Hash = '0'.repeat(64)

/** The form of a block's second line, the signature, in canonical JSON. Protocol §6.2. */
const SIGNATURE_LINE = /^\{"signature":"([0-9a-f]{128})"\}$/

const LINE_FEED = 0x0a

/** Returns a block's hash: the Merkle leaf hash of its header's line. Protocol §6.2. */
export const hashBlock = (headerLine: Uint8Array): Hash => bytesToHex(hashLeaf(headerLine))

export interface BlockTrust {
  /** Expected hash. Default: any block that its validator signed is accepted. */
  readonly hash?: Hash | undefined
  /** Lane to which the block must belong. Default: any. */
  readonly lane?: LaneId | undefined
  readonly verify: Verify
}

/**
 * Reads a block and verifies its authenticity: limits, canonical lines, hash, signature, root, and
 * the schema of every sample. Never throws. Does not replay the samples; `verifyLane` does.
 * Protocol §6.2.
 */
export function readBlock(bytes: Uint8Array, trust: BlockTrust): EvidenceResult<Block> {
  const opened = openBlock(bytes, trust)
  if (!opened.ok) return opened
  const { lines, ...block } = opened.value
  const samples: Sample[] = []
  for (const line of lines) {
    const sample = readSample(line)
    if (!sample.ok) return faultAt(`line ${2 + samples.length}`, sample)
    samples.push(sample.value)
  }
  return { ok: true, value: { ...block, samples } }
}

/** A block whose sample lines are not parsed. */
export interface OpenBlock extends Omit<Block, 'samples'> {
  readonly lines: readonly Uint8Array[]
}

/** Reads a block and verifies everything except the schema of its samples. Protocol §6.2. */
export function openBlock(bytes: Uint8Array, trust: BlockTrust): EvidenceResult<OpenBlock> {
  const signed = openHeader(bytes, trust)
  if (!signed.ok) return signed
  const { header, lines } = signed.value
  const { count, root } = header
  const rootHere = bytesToHex(computeMerkleRoot(lines))
  if (lines.length === count && rootHere === root) return signed
  return fault(
    'WRONG_ROOT',
    `header states ${count} samples under ${root}, got ${lines.length} under ${rootHere}`,
  )
}

/**
 * Verifies a block's limits, header and signature, not the other lines. The hash fixes the header,
 * so a fault of the header is in every copy, regardless of the lines after it. Protocol §6.2, §6.5.
 */
export function openHeader(
  bytes: Uint8Array,
  { hash: known, lane, verify }: BlockTrust,
): EvidenceResult<OpenBlock> {
  if (bytes.length > LIMITS.blockBytes) return BAD_LINES
  const [headerLine, signatureLine, ...lines] = splitLines(bytes)
  if (headerLine === undefined) return BAD_LINES
  // Checking the hash first avoids parsing the header of another block.
  const hash = hashBlock(headerLine)
  if (known !== undefined && hash !== known)
    return fault('WRONG_HASH', `expected ${known}, got ${hash}`)
  const header = readHeader(headerLine)
  if (!header.ok) return faultAt('line 0', header)
  const wrongScope = lane && checkScope('WRONG_SCOPE', header.value, lane)
  if (wrongScope) return wrongScope
  if (signatureLine === undefined) return BAD_LINES
  const { validator } = header.value
  const signature = SIGNATURE_LINE.exec(decodeUtf8(signatureLine))?.[1]
  if (signature === undefined || !verify(hexToBytes(hash), hexToBytes(signature), validator))
    return fault('WRONG_SIGNATURE', `line 1: expected 128 hex digits, signed by ${validator}`)
  return { ok: true, value: { hash, header: header.value, signature, lines } }
}

const BAD_LINES = fault('BAD_LINES', 'expected 2 to 2050 complete lines in at most 8 MiB')

/**
 * Returns the lines without their line feeds; only the first line if the last has no line feed, or
 * if there are more lines than a block may have. Protocol §6.3.
 */
function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  let start = 0
  while (start < bytes.length) {
    const end = bytes.indexOf(LINE_FEED, start)
    if (end === -1 || lines.length === 2 + LIMITS.blockSamples) return lines.slice(0, 1)
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  return lines
}

export interface BlockDraft extends Omit<Header, 'v' | 'count' | 'root'> {
  readonly samples: readonly Sample[]
  readonly sign: Sign
}

/**
 * Signs a block with one call of `sign`. Resolves with the block's hash, and with bytes that
 * `readBlock` accepts. Protocol §6.2.
 * @throws RangeError if `readBlock` would reject the bytes.
 * @throws RangeError or TypeError if a value has no canonical text: see `canonicalize`.
 * @throws TypeError if the signature does not have 64 bytes.
 */
export async function writeBlock(draft: BlockDraft): Promise<{ hash: Hash; bytes: Uint8Array }> {
  const { samples, sign, ...rest } = draft
  const lines = samples.map(toLine)
  const root = bytesToHex(computeMerkleRoot(lines.map(utf8ToBytes)))
  const header = toLine({ v: 1, ...rest, count: lines.length, root })
  const hash = hashBlock(utf8ToBytes(header))
  const render = (signature: Uint8Array) =>
    utf8ToBytes([header, toLine({ signature: bytesToHex(signature) }), ...lines, ''].join('\n'))
  const check = readBlock(render(new Uint8Array(64)), { hash, verify: () => true })
  if (!check.ok)
    throw new RangeError(
      `"draft" expected a block that can be read, got ${check.code}: ${check.detail}`,
    )
  const signature = await sign(hexToBytes(hash))
  if (signature.length !== 64)
    throw new TypeError(`"sign" expected to give 64 bytes, got ${signature.length}`)
  return { hash, bytes: render(signature) }
}

/** Returns the canonical text of a value: a line without its line feed. */
export const toLine = (value: object): string => canonicalize(value as Json)
