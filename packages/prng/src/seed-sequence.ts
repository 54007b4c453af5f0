const POOL = 4

/**
 * `np.random.SeedSequence(entropy)`, with its pool of four words and no spawn key.
 *
 * Not cryptographic. Up to 128 bits, different seeds give different pools. Beyond that it is easy
 * to make two that give the same: never take a seed wider than 128 bits from somebody else.
 *
 * Source: M. E. O'Neill, "Developing a seed_seq Alternative" (2015);
 * numpy/random/bit_generator.pyx.
 * Vectors: vectors/prng/seed-sequence.json. Protocol §2.1.
 * @throws TypeError unless `entropy` is a bigint or a number; RangeError unless it is a
 *   non-negative integer and, as a number, at most 2^53 - 1.
 */
export function seedSequence(entropy: bigint | number): SeedSequence {
  const isExact = typeof entropy === 'bigint' || Number.isSafeInteger(entropy)
  if (!isExact || entropy < 0) throw refusalOf(entropy)
  return new SeedSequence(toWords(BigInt(entropy)))
}

function refusalOf(entropy: bigint | number): Error {
  const isTooLarge = Number.isInteger(entropy) && entropy > 0
  const wanted = isTooLarge ? 'a bigint past 2^53 - 1' : 'a non-negative integer'
  const message = `"seed" expected ${wanted}, got ${String(entropy)}`
  const isNumber = typeof entropy === 'bigint' || typeof entropy === 'number'
  if (!isNumber) return new TypeError(message)
  return new RangeError(message)
}

/**
 * NumPy's SeedSequence: spreads the entropy of a seed evenly over as many words as a generator
 * needs.
 */
export class SeedSequence {
  readonly #pool: readonly number[]

  /**
   * `entropy`: words of 32 bits, the lowest first. The highest beyond the pool's four is not zero.
   */
  constructor(entropy: readonly number[]) {
    const hash = hasher(0x43b0d7e5, 0x931e8875)
    const pool: number[] = []
    for (let i = 0; i < POOL; i++) pool.push(hash(entropy[i] ?? 0))
    // Each word of the pool is stirred into the other three, and each word beyond the pool into all
    // four.
    const sources = Math.max(POOL, entropy.length)
    for (let from = 0; from < sources; from++) {
      const source = pool[from] ?? entropy[from] ?? 0
      for (let to = 0; to < POOL; to++) {
        if (to !== from) pool[to] = mix(pool[to] ?? 0, hash(source))
      }
    }
    this.#pool = pool
  }

  /** `n` words of 32 bits, the same ones at every call. */
  generateState(n: number): Uint32Array {
    expectInteger('n', n, { least: 0, most: 2 ** 31 })
    const hash = hasher(0x8b51f9dd, 0x58f38ded)
    const words = new Uint32Array(n)
    for (let i = 0; i < n; i++) words[i] = hash(this.#pool[i % POOL] ?? 0)
    return words
  }

  /** `n` words of 64 bits: the 32-bit words in pairs, the lower half first. */
  generateState64(n: number): BigUint64Array {
    expectInteger('n', n, { least: 0, most: 2 ** 30 })
    const words = this.generateState(2 * n)
    return new BigUint64Array(n).map(
      (_, i) => (BigInt(words[2 * i + 1] ?? 0) << 32n) | BigInt(words[2 * i] ?? 0),
    )
  }
}

/** @throws TypeError or RangeError unless `value` is an integer from `least` to `most`. */
export function expectInteger(
  name: string,
  value: number,
  { least, most }: { least: number; most: number },
): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  const message = `"${name}" expected an integer in ${least}..${most}, got ${String(value)}`
  if (typeof value !== 'number') throw new TypeError(message)
  throw new RangeError(message)
}

const view = /* @__PURE__ */ new DataView(new ArrayBuffer(8))

/** Words of 32 bits, the lowest first; the highest is not zero. */
function toWords(value: bigint): number[] {
  const words: number[] = []
  for (let rest = value; rest > 0n; rest >>= 64n) {
    view.setBigUint64(0, rest) // its lowest 64 bits
    words.push(view.getUint32(4), view.getUint32(0))
  }
  if (words.at(-1) === 0) words.pop()
  return words
}

/** A function that hashes words of 32 bits, with a constant that changes at every word. */
function hasher(start: number, multiplier: number): (word: number) => number {
  let constant = start
  return (word) => {
    const mixed = word ^ constant
    constant = Math.imul(constant, multiplier)
    const product = Math.imul(mixed, constant)
    return product ^ (product >>> 16)
  }
}

function mix(x: number, y: number): number {
  const mixed = (Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) | 0
  return mixed ^ (mixed >>> 16)
}
