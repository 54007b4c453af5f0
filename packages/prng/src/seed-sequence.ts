/** NumPy's SeedSequence: spreads the entropy of a seed evenly over as many words as a generator needs. */
export interface SeedSequence {
  /** `n` words of 32 bits, the same ones at every call. */
  generateState(n: number): Uint32Array
  /** `n` words of 64 bits: the 32-bit words in pairs, the lower half first. */
  generateState64(n: number): BigUint64Array
}

const POOL = 4
const view = new DataView(new ArrayBuffer(8))

/**
 * `np.random.SeedSequence(entropy)`, with its pool of four words and no spawn key.
 *
 * Not cryptographic. Up to 128 bits different seeds give different pools; past that collisions are easy to make, so
 * never take a seed wider than 128 bits from somebody else.
 *
 * Source: M. E. O'Neill, "Developing a seed_seq Alternative" (2015); numpy/random/bit_generator.pyx.
 * Vectors: vectors/prng/seed-sequence.json.
 * @throws TypeError unless `entropy` is a bigint or a number; RangeError unless it is a non-negative integer and,
 *   as a number, at most 2^53 - 1.
 */
export function seedSequence(entropy: bigint | number): SeedSequence {
  return new Pool(toWords(entropy))
}

/** @throws TypeError or RangeError unless `value` is an integer from `least` to `most`. */
export function expectInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  const Kind = typeof value === 'number' ? RangeError : TypeError
  throw new Kind(`"${name}" expected an integer in ${least}..${most}, got ${String(value)}`)
}

/** Words of 32 bits, the lowest first, none for zero: the pool is filled up with zeros anyway. */
function toWords(entropy: bigint | number): number[] {
  const fits = typeof entropy === 'bigint' || Number.isSafeInteger(entropy)
  if (!fits || entropy < 0) {
    const Kind = typeof entropy === 'bigint' || typeof entropy === 'number' ? RangeError : TypeError
    const wanted = Number.isInteger(entropy) && entropy > 0 ? 'a bigint past 2^53 - 1' : 'a non-negative integer'
    throw new Kind(`"seed" expected ${wanted}, got ${String(entropy)}`)
  }
  const words: number[] = []
  for (let rest = BigInt(entropy); rest > 0n; rest >>= 64n) {
    view.setBigUint64(0, rest)
    words.push(view.getUint32(4), view.getUint32(0))
  }
  // A zero on top would be stirred in when it lies beyond the pool.
  if (words.at(-1) === 0) words.pop()
  return words
}

class Pool implements SeedSequence {
  readonly #pool = [0, 0, 0, 0]

  constructor(words: readonly number[]) {
    const pool = this.#pool
    const hash = new Hash(0x43b0d7e5, 0x931e8875)
    for (let i = 0; i < POOL; i++) pool[i] = hash.of(words[i] ?? 0)
    for (let from = 0; from < POOL; from++) {
      for (let to = 0; to < POOL; to++) {
        if (to !== from) pool[to] = mix(pool[to] as number, hash.of(pool[from] as number))
      }
    }
    for (let from = POOL; from < words.length; from++) {
      for (let to = 0; to < POOL; to++) pool[to] = mix(pool[to] as number, hash.of(words[from] as number))
    }
  }

  generateState(n: number): Uint32Array {
    expectInteger('n', n, 0, 2 ** 31)
    const hash = new Hash(0x8b51f9dd, 0x58f38ded)
    const words = new Uint32Array(n)
    for (let i = 0; i < n; i++) words[i] = hash.of(this.#pool[i % POOL] as number)
    return words
  }

  generateState64(n: number): BigUint64Array {
    expectInteger('n', n, 0, 2 ** 30)
    const words = this.generateState(2 * n)
    return new BigUint64Array(n).map((_, i) => (BigInt(words[2 * i + 1] ?? 0) << 32n) | BigInt(words[2 * i] ?? 0))
  }
}

/** Hashes words of 32 bits, with a constant that moves on at every word. */
class Hash {
  readonly #multiplier: number
  #constant: number

  constructor(constant: number, multiplier: number) {
    this.#constant = constant | 0
    this.#multiplier = multiplier
  }

  of(word: number): number {
    const mixed = word ^ this.#constant
    this.#constant = Math.imul(this.#constant, this.#multiplier)
    const product = Math.imul(mixed, this.#constant)
    return product ^ (product >>> 16)
  }
}

function mix(x: number, y: number): number {
  const mixed = (Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) | 0
  return mixed ^ (mixed >>> 16)
}
