import { setTimeout } from 'node:timers/promises'
import { challengesOf, make, replayFrom, seedOf } from '@affine/envs'
import { canonicalize, type Json, parseCanonical } from '@affine/prng'
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { createBLAKE3 } from 'hash-wasm'
import {
  type Block,
  checkBlock,
  type LaneRequest,
  LIMITS,
  merkleRoot,
  NO_BLOCK,
  readBlock,
  verifyLane,
  writeBlock,
} from '../src/index.ts'
import { decode, readSample } from '../src/line.ts'
import { keyOf } from '../test/keys.ts'
import { honestSamples, SECRET, scopeOf } from '../test/lane.ts'

/*
 * Samples verified per second on one core: a lane of two environments, half and half, from the
 * blocks' bytes to the tallies. Then what one sample's time goes to; and how many
 * times the floor it is, below which nobody gets who reads the lines and hashes them once.
 */
const QUOTA = 512
const key = keyOf(1)
const scope = scopeOf(key.hotkey, { 'tictactoe@0.1.0': QUOTA, 'mult8@0.1.0': QUOTA })
const { genesis, netuid, validator, epoch } = scope
const samples = await honestSamples(scope)

async function sealed() {
  const files = new Map<string, Uint8Array>()
  let prev = NO_BLOCK
  for (let start = 0; start < samples.length; start += LIMITS.blockSamples) {
    const end = start + LIMITS.blockSamples >= samples.length ? { secret: SECRET } : {}
    const place = { genesis, netuid, validator, epoch, height: files.size, prev, time: 0, ...end }
    const some = samples.slice(start, start + LIMITS.blockSamples)
    const block = await writeBlock({ ...place, samples: some, sign: key.sign })
    files.set(block.hash, Buffer.from(block.bytes)) // as a folder gives them
    prev = block.hash
  }
  const read: LaneRequest['read'] = async (wanted) =>
    checkBlock(files.get(wanted.hash) ?? new Uint8Array(), { ...wanted, verify: key.verify })
  const verify = async () => {
    const lane = await verifyLane({ head: prev, previous: NO_BLOCK, scope, read })
    if (!lane.ok) throw new Error(`${lane.code}: ${lane.detail}`)
  }
  return { files, verify }
}

const { files, verify } = await sealed()
await verify()
await setTimeout(1000) // what runs in WebAssembly has started by then

const blocks: Block[] = []
for (const bytes of files.values()) {
  const block = readBlock(bytes, key)
  if (block.ok) blocks.push(block.value)
}
const textsOf = ({ samples }: Block) =>
  samples.map((sample) => canonicalize(sample as unknown as Json))
const texts = blocks.flatMap(textsOf)
const trees = blocks.map((block) => textsOf(block).map(utf8ToBytes))
const lines = trees.flat()
const envs = new Map(Object.keys(scope.specHashes).map((env) => [env, make(env)]))
const challenges = new Map(
  Object.entries(scope.specHashes).map(([env, specHash]) => {
    return [env, challengesOf({ ...scope, env, specHash, secret: SECRET })]
  }),
)
const seeds = samples.map(({ challengeId }) => seedOf(challengeId))
const hasher = await createBLAKE3()

const FLOOR = 'the floor: JSON.parse and one BLAKE3'
const parts: Record<string, () => void> = {
  [FLOOR]: () => {
    for (const text of texts) JSON.parse(text)
    for (const line of lines) hasher.init().update(line).digest('binary')
  },
  'signature (one a block)': () => {
    for (const { hash, signature, header } of blocks)
      key.verify(hexToBytes(hash), hexToBytes(signature), header.validator)
  },
  'Merkle root': () => {
    for (const tree of trees) merkleRoot(tree)
  },
  'text of the bytes': () => {
    for (const line of lines) decode(line)
  },
  'text, JSON.parse': () => {
    for (const line of lines) JSON.parse(decode(line))
  },
  'text, parse, canonical check': () => {
    for (const line of lines) parseCanonical(decode(line))
  },
  'text, parse, canonical check, shape': () => {
    for (const line of lines) readSample(line)
  },
  'challenge id, seed': () => {
    for (const { env, index, challengeId } of samples) {
      challenges.get(env)?.seedIf({ index }, challengeId)
    }
  },
  replay: () => {
    for (const [i, sample] of samples.entries()) {
      const [game, seed] = [envs.get(sample.env), seeds[i]]
      if (game === undefined || seed === undefined || !('miner' in sample)) continue
      replayFrom(game, seed, sample.messages)
    }
  },
}

/** Of this process alone, in microseconds: other work on the machine then costs nothing. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** What each takes, in microseconds a sample: the median of rounds in which all take turns. */
async function measure(tasks: Readonly<Record<string, () => unknown>>) {
  const times = new Map<string, number[]>()
  for (let round = -10; round < 50; round++) {
    for (const [name, task] of Object.entries(tasks)) {
      const start = cpuTime()
      for (let i = 0; i < 5; i++) await task()
      const taken = (cpuTime() - start) / 5 / samples.length
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), taken])
    }
  }
  const medianOf = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1] ?? 0
  return new Map([...times].map(([name, list]) => [name, medianOf(list)]))
}

const LANE = 'the whole lane'
const taken = await measure({ [LANE]: verify, ...parts })
const bytes = lines.reduce((sum, { length }) => sum + length, 0)
console.log(`${samples.length} samples of ${Math.round(bytes / lines.length)} bytes`)
for (const [name, us] of taken) {
  const rate = String(Math.round(1e6 / us)).padStart(8)
  console.log(`${name.padEnd(40)}${rate} samples/s ${us.toFixed(1).padStart(7)} us each`)
}
const ratio = (taken.get(LANE) ?? 0) / (taken.get(FLOOR) ?? 0)
console.log(`a lane is verified in ${ratio.toFixed(1)} x the floor`)
