import fc from 'fast-check'
import {
  type Block,
  createBlockReader,
  findForfeit,
  hashBlock,
  judgeSampleProof,
  LIMITS,
  NO_BLOCK,
  proveSample,
  readBlock,
  verifyLane,
} from '../../../packages/blocks/src/index.ts'
import { readHeader, readSample } from '../../../packages/blocks/src/line.ts'
import {
  forge,
  honestSamples,
  laneOf,
  plansOf,
  scopeOf,
  toy,
} from '../../../packages/blocks/test/lane.ts'
import { account, verify } from '../../../packages/chain/src/index.ts'
import { canonicalize, parseCanonical } from '../../../packages/prng/src/index.ts'
import { anyJson } from '../../../packages/prng/test/any-json.ts'
import { describeEnding, formatEnding, SIDES } from '../../../packages/report/src/index.ts'
import vectors from '../../../vectors/prng/canonical-json.json' with { type: 'json' }
import type { Reader } from '../fuzz.ts'
import {
  bytesOf,
  expectPrintable,
  expectSame,
  jsonOf,
  lineIn,
  linesOf,
  objectIn,
  textOf,
} from '../input.ts'

const acceptSignature = (): boolean => true
const scope = scopeOf(toy.hotkey, { 'mult8@0.1.0': 2, 'tictactoe@0.1.0': 1, 'hex@0.1.0': 1 })

/** Resolves with a lane in blocks of two samples, and with the lane in one block, as is valid. */
async function smallLane() {
  const samples = await honestSamples(scope)
  const lane = laneOf(toy, scope, plansOf(samples, 2))
  const read = [...lane.bytes.values()].map((bytes) => readBlock(bytes, toy))
  const blocks: Block[] = read.flatMap((block) => (block.ok ? block.value : []))
  const whole = laneOf(toy, scope, [{ lines: samples }])
  return { lane, blocks, whole: [...whole.bytes.values()] }
}

/** Returns a block with root, count and signature corrected for its lines. */
function reseal(bytes: Uint8Array) {
  const [header = bytes, , ...lines] = linesOf(bytes)
  const { count: _, root: __, ...fields } = objectIn(header)
  // A reader refuses so many lines without hashing. Hashing here would count as its time.
  if (lines.length > 2 * LIMITS.blockSamples) return { hash: hashBlock(header), bytes }
  try {
    return forge(toy, fields, { lines })
  } catch {
    return { hash: hashBlock(header), bytes } // the header has no canonical form
  }
}

function verifyResealed(bytes: Uint8Array) {
  const block = reseal(bytes)
  const bucket = { read: async () => block.bytes }
  const read = createBlockReader(bucket, acceptSignature)
  return verifyLane({ head: block.hash, previous: NO_BLOCK, scope, read })
}

/** Reads a sample, and formats the texts about both sides. An episode counts for both sides. */
function readSampleTexts(bytes: Uint8Array) {
  const read = readSample(bytes)
  if (!read.ok) return read
  const sample = read.value
  const pair = 'miner' in sample ? { ...sample, champion: sample, contender: sample } : sample
  for (const side of SIDES) {
    findForfeit(pair, side)
    formatEnding(describeEnding(pair, side)).forEach(expectPrintable)
  }
  return read
}

/**
 * Verifies a proof against the head that its headers give, so that no change is refused only
 * because of the head.
 */
function verifyAnyProof(bytes: Uint8Array) {
  const proof = objectIn(bytes)
  const links = Array.isArray(proof.links) ? proof.links.map(lineIn) : proof.links
  const value = { ...proof, header: lineIn(proof.header), sample: lineIn(proof.sample), links }
  const last = Array.isArray(links) && links.length > 0 ? links.at(-1) : value.header
  const head = hashBlock(bytesOf(String(last)))
  return judgeSampleProof(value, { head, scope, verify: acceptSignature }).result
}

function parseAnyCanonical(bytes: Uint8Array) {
  const text = textOf(bytes)
  const read = parseCanonical(text)
  if (read.ok) expectSame(canonicalize(read.value), text)
  return read
}

/** Resolves with a block that a real key signed. */
async function signedBlocks() {
  const { hotkey, sign } = account(new Uint8Array(32).fill(1))
  const own = scopeOf(hotkey, { 'mult8@0.1.0': 1 })
  const key = { hotkey, sign, verify }
  return [...laneOf(key, own, plansOf(await honestSamples(own), 1)).bytes.values()]
}

/** Resolves with readers of blocks and their parts. */
export async function evidenceReaders(): Promise<readonly Reader[]> {
  const { lane, blocks, whole } = await smallLane()
  const files = [...lane.bytes.values()]
  const lines = files.flatMap((file) => linesOf(file))
  const [first, ...after] = blocks
  if (first === undefined) throw new Error('the lane was not read')
  const proof = proveSample(
    first,
    1,
    after.map(({ header }) => header),
  )
  const opened = {
    ...proof,
    sample: JSON.parse(proof.sample),
    header: JSON.parse(proof.header),
    links: proof.links.map((link) => JSON.parse(link)),
  }
  const texts = fc.sample(anyJson, { numRuns: 200, seed: 1 }).map(canonicalize)
  return [
    {
      name: 'canonical JSON',
      share: 200,
      samples: [...vectors.map(({ input }) => input), ...texts].map(bytesOf),
      read: parseAnyCanonical,
    },
    { name: 'block header', share: 100, samples: lines, read: readHeader },
    { name: 'sample line', share: 60, samples: lines, read: readSample },
    { name: 'sample texts', share: 6, samples: lines, read: readSampleTexts },
    {
      name: 'block',
      share: 15,
      samples: [...files, ...whole],
      read: (bytes) => readBlock(bytes, { verify: acceptSignature }),
    },
    {
      name: 'resealed block',
      share: 8,
      samples: [...files, ...whole],
      read: (bytes) => readBlock(reseal(bytes).bytes, { verify: acceptSignature }),
    },
    {
      name: 'signed block',
      share: 0.3,
      samples: await signedBlocks(),
      read: (bytes) => readBlock(bytes, { verify }),
    },
    { name: 'lane', share: 3, samples: [...whole, ...files], read: verifyResealed },
    {
      name: 'sample proof',
      share: 15,
      samples: [proof, opened].map(jsonOf),
      read: verifyAnyProof,
    },
  ]
}
