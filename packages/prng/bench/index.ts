import { canonicalize, type Json, parseCanonical, pcg64, seedWords } from '@affine/prng'
import { uniformBigInt } from 'pure-rand/distribution/uniformBigInt'
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import { Bench } from 'tinybench'
import { BigIntPcg64 } from './bigint-pcg64.ts'

// A task makes many draws, so that the cost of reading the clock is negligible.
const DRAWS = 1000
const bench = new Bench({ time: 300, warmupTime: 100 })
let sink: unknown

function add(draw: string, peer: string, once: () => unknown, times = DRAWS): void {
  bench.add(`${draw}|${peer}`, () => {
    for (let i = 0; i < times; i++) sink = once()
  })
}

const ours = pcg64(1n)
const plain = new BigIntPcg64(seedWords(1))
if (ours.uint64() !== plain.uint64()) throw new Error('the peers differ')
const pure = xoroshiro128plus(1)

add('uint64', '@affine/prng', () => ours.uint64())
add('uint64', 'BigInt', () => plain.uint64())
add('uint64', 'pure-rand', () => uniformBigInt(pure, 0n, 0xffffffffffffffffn))
add('random', '@affine/prng', () => ours.random())
add('random', 'BigInt', () => plain.random())
add('random', 'pure-rand', () => uniformFloat64(pure))
add('integers(0, 9)', '@affine/prng', () => ours.integers(0, 9))
add('integers(0, 9)', 'BigInt', () => plain.integers(0, 9))
add('integers(0, 9)', 'pure-rand', () => uniformInt(pure, 0, 8))
add('integers(0, 2^53)', '@affine/prng', () => ours.integers(0, 2 ** 53))
add('integers(0, 2^53)', 'pure-rand', () => uniformInt(pure, 0, 2 ** 53 - 1))
add('permutation, an element', '@affine/prng', () => ours.permutation(DRAWS), 1)
add('permutation, an element', 'BigInt', () => plain.permutation(DRAWS), 1)
add('permutation, an element', 'pure-rand', () => purePermutation(DRAWS), 1)
add('seeding', '@affine/prng', () => pcg64(0x0123456789abcdef0123456789abcdefn))
add('seeding', 'BigInt', () => new BigIntPcg64(seedWords(0x0123456789abcdef0123456789abcdefn)))

// The value resembles a recorded sample. `JSON`, the peer, does not check the value.
const sample: Json = {
  env: 'mult8@0.1.0',
  index: 7,
  champion: episode(0),
  contender: episode(1),
  verdict: 'win',
}
const text = canonicalize(sample)
const label = `${text.length} characters`
add(`canonicalize ${label}`, '@affine/prng', () => canonicalize(sample))
add(`canonicalize ${label}`, 'JSON', () => JSON.stringify(sample))
add(`parseCanonical ${label}`, '@affine/prng', () => parseCanonical(text))
add(`parseCanonical ${label}`, 'JSON', () => JSON.stringify(JSON.parse(text)) === text)

await bench.run()
console.table(
  bench.tasks.map(({ name, result }) => {
    if (result === undefined || !('latency' in result)) throw new Error(`${name} did not run`)
    const [draw, by] = name.split('|')
    return {
      draw,
      by,
      ns: Number((((result.latency.p50 ?? Number.NaN) * 1e6) / DRAWS).toPrecision(3)),
    }
  }),
)
if (sink === ours) throw new Error('unreachable: it keeps the draws from being optimised away')

function purePermutation(n: number): number[] {
  const array = [...Array(n).keys()]
  for (let i = array.length - 1; i > 0; i--) {
    const j = uniformInt(pure, 0, i)
    const moved = array[i] as number
    array[i] = array[j] as number
    array[j] = moved
  }
  return array
}

function episode(uid: number): Json {
  const messages = Array.from({ length: 6 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content:
      i % 2 === 0
        ? 'You are X.\nThe board:\nX . O\n. X .\nO . .\nReply with your move.'.repeat(3)
        : 'I play "B2".\nB2',
  }))
  return { miner: `5F${'a'.repeat(46)}${uid}`, messages, reward: uid, ms: 1200 }
}
