import { setTimeout } from 'node:timers/promises'
import { deriveChallenges, deriveSeed, make, replay, replayGame } from '@affine/envs'
import { canonicalize, type Json, parseCanonical } from '@affine/prng'
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { createBLAKE3 } from 'hash-wasm'
import {
  type Block,
  checkBlock,
  computeMerkleRoot,
  type LaneRequest,
  LIMITS,
  NO_BLOCK,
  readBlock,
  type Sample,
  type Scope,
  verifyLane,
  writeBlock,
} from '../src/index.ts'
import { decodeUtf8, readSample } from '../src/line.ts'
import { keyOf } from '../test/keys.ts'
import { honestSamples, SECRET, scopeOf } from '../test/lane.ts'

/*
 * Verifies lanes on one core, from the blocks' bytes to the tallies. Prints the time per sample of
 * each part, and the ratio of the total to the floor, which is one `JSON.parse` and one BLAKE3 of
 * every line. One lane has one duel; the other has eight duels with the largest quotas, and 14,336
 * samples.
 */
const key = keyOf(1)
const CONTENDERS = [...'CDEFGHJK'].map((letter) => `5${letter.repeat(47)}`)
const LARGEST = { 'hex@0.1.0': 64, 'mult8@0.1.0': 512, 'pack@0.1.0': 512, 'tictactoe@0.1.0': 512 }
const LANES = {
  'one duel': scopeOf(key.hotkey, { 'tictactoe@0.1.0': 512, 'mult8@0.1.0': 512 }),
  'eight duels': scopeOf(key.hotkey, {}, Object.fromEntries(CONTENDERS.map((c) => [c, LARGEST]))),
}
const hasher = await createBLAKE3()

/** Returns the blocks of a lane by their hash, and a function that verifies the lane. */
async function sealLane(scope: Scope, samples: readonly Sample[]) {
  const { genesis, netuid, validator, epoch } = scope
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

const FLOOR = 'the floor: JSON.parse and one BLAKE3'

/** Returns the parts of verifying a lane, each as a function that does it for all lines. */
function partsOf(scope: Scope, samples: readonly Sample[], files: Map<string, Uint8Array>) {
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
  const ids = Object.entries(scope.specHashes)
  const envs = new Map(ids.map(([env]) => [env, make(env)]))
  const challenges = new Map(
    ids.map(([env, specHash]) => [
      env,
      deriveChallenges({ ...scope, env, specHash, secret: SECRET }),
    ]),
  )
  const replayOf = (env: string) => () => {
    for (const sample of samples) {
      const game = envs.get(sample.env)
      if (sample.env !== env || game === undefined) continue
      const seed = deriveSeed(sample.challengeId)
      if ('miner' in sample) {
        replay(game, seed, sample.messages)
      } else {
        const { champion, contender } = sample
        const recorded = { champion: champion.messages, contender: contender.messages }
        replayGame(game, seed, recorded)
      }
    }
  }
  return {
    [FLOOR]: () => {
      for (const text of texts) JSON.parse(text)
      for (const line of lines) hasher.init().update(line).digest('binary')
    },
    'signature (one a block)': () => {
      for (const { hash, signature, header } of blocks)
        key.verify(hexToBytes(hash), hexToBytes(signature), header.validator)
    },
    'Merkle root': () => {
      for (const tree of trees) computeMerkleRoot(tree)
    },
    'text of the bytes': () => {
      for (const line of lines) decodeUtf8(line)
    },
    'text, JSON.parse': () => {
      for (const line of lines) JSON.parse(decodeUtf8(line))
    },
    'text, parse, canonical check': () => {
      for (const line of lines) parseCanonical(decodeUtf8(line))
    },
    'text, parse, canonical check, shape': () => {
      for (const line of lines) readSample(line)
    },
    'challenge id, seed': () => {
      for (const sample of samples) {
        const { env, index } = sample
        const place = 'miner' in sample ? { index } : { index, contender: sample.contender.miner }
        challenges.get(env)?.(place)
      }
    },
    ...Object.fromEntries(ids.map(([env]) => [`seed, replay of ${env}`, replayOf(env)])),
  }
}

/** Returns the CPU time of this process in microseconds, which excludes other processes. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Returns the time of each part in microseconds: the median of `times` rounds. */
async function measure(tasks: Readonly<Record<string, () => unknown>>, times: number) {
  const taken = new Map<string, number[]>()
  for (let round = -times / 5; round < times; round++) {
    for (const [name, task] of Object.entries(tasks)) {
      const start = cpuTime()
      await task()
      if (round >= 0) taken.set(name, [...(taken.get(name) ?? []), cpuTime() - start])
    }
  }
  const medianOf = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1] ?? 0
  return new Map([...taken].map(([name, list]) => [name, medianOf(list)]))
}

const LANE = 'the whole lane'
for (const [name, scope] of Object.entries(LANES)) {
  const samples = await honestSamples(scope)
  const { files, verify } = await sealLane(scope, samples)
  await verify()
  await setTimeout(1000) // by then, the WebAssembly of BLAKE3 and sr25519 has started
  const parts = partsOf(scope, samples, files)
  const taken = await measure({ [LANE]: verify, ...parts }, samples.length > 5000 ? 15 : 200)
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0)
  const size = `${samples.length} samples of ${Math.round(bytes / samples.length)} bytes`
  console.log(`\n${name}: ${size}`)
  for (const [part, us] of taken) {
    const each = us / samples.length
    const rate = String(Math.round(1e6 / each)).padStart(8)
    console.log(`${part.padEnd(40)}${rate} samples/s ${each.toFixed(1).padStart(7)} us each`)
  }
  const ratio = (taken.get(LANE) ?? 0) / (taken.get(FLOOR) ?? 0)
  console.log(`a lane of ${name} is verified in ${ratio.toFixed(1)} x the floor`)
}
