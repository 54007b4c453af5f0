/** NumPy's SeedSequence: spreads the entropy of a seed evenly over as many words as a generator needs. */
export interface SeedSequence {
  /** `n` words of 32 bits, the same ones at every call. */
  generateState(n: number): Uint32Array
  /** `n` words of 64 bits: the 32-bit words in pairs, the lower half first. */
  generateState64(n: number): BigUint64Array
}

const POOL = 4

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
  const pool = mixPool(toWords(entropy))
  const generateState = (n: number): Uint32Array => {
    expectInteger('n', n, 0, 2 ** 31)
    const hash = hasher(0x8b51f9dd, 0x58f38ded)
    return new Uint32Array(n).map((_, i) => hash(pool[i % POOL] ?? 0))
  }
  return {
    generateState,
    generateState64(n) {
      expectInteger('n', n, 0, 2 ** 30)
      const words = generateState(2 * n)
      return new BigUint64Array(n).map((_, i) => (BigInt(words[2 * i + 1] ?? 0) << 32n) | BigInt(words[2 * i] ?? 0))
    },
  }
}

/** @throws TypeError or RangeError unless `value` is an integer from `least` to `most`. */
export function expectInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  const Kind = typeof value === 'number' ? RangeError : TypeError
  throw new Kind(`"${name}" expected an integer in ${least}..${most}, got ${String(value)}`)
}

/** Words of 32 bits, the lowest first; zero is one word. */
function toWords(entropy: bigint | number): number[] {
  const fits = typeof entropy === 'bigint' || Number.isSafeInteger(entropy)
  if (!fits || entropy < 0) {
    const Kind = typeof entropy === 'bigint' || typeof entropy === 'number' ? RangeError : TypeError
    throw new Kind(`"seed" expected a non-negative integer, got ${String(entropy)}`)
  }
  // Through hex, because shifting a wide bigint word by word takes quadratic time.
  const hex = entropy.toString(16)
  const words: number[] = []
  for (let end = hex.length; end > 0; end -= 8) words.push(Number.parseInt(hex.slice(Math.max(0, end - 8), end), 16))
  return words
}

function mixPool(words: readonly number[]): Uint32Array {
  const hash = hasher(0x43b0d7e5, 0x931e8875)
  const pool = new Uint32Array(POOL).map((_, i) => hash(words[i] ?? 0))
  const stir = (into: number, word: number): void => {
    const mixed = Math.imul(0xca01f9dd, pool[into] ?? 0) - Math.imul(0x4973f715, hash(word))
    pool[into] = mixed ^ ((mixed >>> 16) | 0)
  }
  for (let from = 0; from < POOL; from++) {
    for (let into = 0; into < POOL; into++) if (into !== from) stir(into, pool[from] ?? 0)
  }
  for (const word of words.slice(POOL)) {
    for (let into = 0; into < POOL; into++) stir(into, word)
  }
  return pool
}

/** A hash whose constant moves on with every word. */
function hasher(initial: number, multiplier: number): (word: number) => number {
  let constant = initial
  return (word) => {
    const mixed = word ^ constant
    constant = Math.imul(constant, multiplier)
    const product = Math.imul(mixed, constant)
    return (product ^ (product >>> 16)) >>> 0
  }
}
