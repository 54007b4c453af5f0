import { createHash } from 'node:crypto'
import { challengeId, make, replay } from '@affine/envs'
import { canonicalize, type Json } from '@affine/prng'
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { Bench } from 'tinybench'
import {
  type Block,
  type HashFunction,
  merkleRoot,
  NO_BLOCK,
  readBlock,
  verifyLane,
  writeBlock,
} from '../src/index.ts'
import { readSample } from '../src/line.ts'
import { keyOf } from '../test/keys.ts'
import { honestSamples, SECRET, scopeOf } from '../test/lane.ts'

/*
 * Samples verified per second on one core: a lane of both environments, half and half, in mixed
 * order, under sr25519 signatures in plain JavaScript, from the blocks' bytes to the tallies. Then
 * what one sample's time goes to.
 */
const QUOTA = 512
const key = keyOf(1)
const scope = scopeOf(key.hotkey, { 'tictactoe@0.1.0': QUOTA, 'mult8@0.1.0': QUOTA })
const { genesis, netuid, validator, epoch } = scope
const samples = (await honestSamples(scope)).sort((a, b) => a.index - b.index)
const sha256: HashFunction = (bytes) => createHash('sha256').update(bytes).digest()

async function sealed(size: number, hashFunction?: HashFunction) {
  const hash = hashFunction ? { hashFunction } : {}
  const files = new Map<string, Uint8Array>()
  let prev = NO_BLOCK
  for (let start = 0; start < samples.length; start += size) {
    const end = start + size >= samples.length ? { secret: SECRET } : {}
    const place = {
      genesis,
      netuid,
      validator,
      epoch,
      height: files.size,
      prev,
      time: 0,
      ...end,
      ...hash,
    }
    const block = await writeBlock({
      ...place,
      samples: samples.slice(start, start + size),
      sign: key.sign,
    })
    files.set(block.hash, block.bytes)
    prev = block.hash
  }
  const read = async (wanted: string) =>
    readBlock(files.get(wanted) ?? new Uint8Array(), { hash: wanted, verify: key.verify, ...hash })
  const verify = async () => {
    const lane = await verifyLane({ head: prev, previous: NO_BLOCK, scope, read })
    if (!lane.ok) throw new Error(`${lane.code}: ${lane.detail}`)
  }
  return { files, read, verify }
}

const lanes = {
  'lane, blocks of 256': await sealed(256),
  'lane, blocks of 32': await sealed(32),
  'lane, blocks of 256, native SHA-256 in the place of BLAKE3': await sealed(256, sha256),
}
const { files, read } = lanes['lane, blocks of 256']
const blocks: Block[] = []
for (const hash of files.keys()) {
  const block = await read(hash)
  if (block.ok) blocks.push(block.value)
}
const linesOf = ({ samples }: Block) =>
  samples.map((sample) => utf8ToBytes(canonicalize(sample as unknown as Json)))
const trees = blocks.map(linesOf)
const lines = trees.flat()
const envs = new Map(Object.keys(scope.quota).map((env) => [env, make(env)]))

const parts: Record<string, () => void> = {
  'signature (one a block of 256)': () => {
    for (const { hash, signature, header } of blocks) {
      key.verify(hexToBytes(hash), hexToBytes(signature), header.validator)
    }
  },
  'Merkle root': () => {
    for (const tree of trees) merkleRoot(tree)
  },
  'Merkle root, native SHA-256': () => {
    for (const tree of trees) merkleRoot(tree, sha256)
  },
  'parse, canonical check, shape': () => {
    for (const line of lines) readSample(line)
  },
  'challenge id': () => {
    for (const { env, index } of samples) {
      const specHash = scope.specHashes[env] ?? ''
      challengeId({ ...scope, env, specHash, duel: scope.duel.id, secret: SECRET, index })
    }
  },
  'replay, both miners': () => {
    for (const { env, challengeId, champion, contender } of samples) {
      const game = envs.get(env)
      if (game)
        for (const { messages } of [champion, contender]) replay(game, challengeId, messages)
    }
  },
}

/** Of this process alone, in milliseconds: other work on the machine then costs nothing. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const bench = new Bench({ time: 2000, warmupTime: 500, now: cpuTime })
for (const [name, { verify }] of Object.entries(lanes)) bench.add(name, verify)
for (const [name, part] of Object.entries(parts)) bench.add(name, part)
await bench.run()
console.log(
  `${samples.length} samples of ${Math.round(lines.reduce((sum, { length }) => sum + length, 0) / lines.length)} bytes`,
)
for (const { name, result } of bench.tasks) {
  if (!result || !('latency' in result)) throw new Error(`${name} failed`)
  const us = ((result.latency.p50 ?? result.latency.mean) * 1000) / samples.length
  console.log(
    `${name.padEnd(60)}${String(Math.round(1e6 / us)).padStart(8)} samples/s ${us.toFixed(1).padStart(7)} us each`,
  )
}
