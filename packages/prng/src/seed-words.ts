const POOL = 4

const MAX_SEED = 2n ** 128n - 1n

/**
 * Returns the eight words of 32 bits that NumPy makes of a seed:
 * `np.random.SeedSequence(seed).generate_state(8)`. Different seeds give different words.
 *
 * Not cryptographic. NumPy also accepts wider seeds, but two of them with the same words are easy
 * to find.
 *
 * Source: M. E. O'Neill, "Developing a seed_seq Alternative" (2015);
 * numpy/random/bit_generator.pyx. Vectors: vectors/prng/seed-words.json. Protocol §2.1.
 * @throws TypeError unless `seed` is a bigint or a number; RangeError unless it is an integer from
 *   0 to 2^128 - 1 and, as a number, at most 2^53 - 1.
 */
export function seedWords(seed: bigint | number): Uint32Array {
  const hash = hasher(0x43b0d7e5, 0x931e8875)
  const pool = readWords(seed)
  for (let i = 0; i < POOL; i++) pool[i] = hash(pool[i] ?? 0)
  // Each word of the pool is mixed into the other three.
  for (let from = 0; from < POOL; from++) {
    for (let to = 0; to < POOL; to++) {
      if (to !== from) pool[to] = mix(pool[to] ?? 0, hash(pool[from] ?? 0))
    }
  }
  const finalHash = hasher(0x8b51f9dd, 0x58f38ded)
  const words = new Uint32Array(2 * POOL)
  for (let i = 0; i < words.length; i++) words[i] = finalHash(pool[i % POOL] ?? 0)
  return words
}

const view = /* @__PURE__ */ new DataView(new ArrayBuffer(16))

/** Returns the four words of a seed, the lowest first. */
function readWords(seed: bigint | number): number[] {
  const isExact = typeof seed === 'bigint' || Number.isSafeInteger(seed)
  if (!isExact || seed < 0 || seed > MAX_SEED) throw createSeedError(seed)
  const exact = BigInt(seed)
  view.setBigUint64(0, exact >> 64n)
  view.setBigUint64(8, exact) // writes the lowest 64 bits
  return [view.getUint32(12), view.getUint32(8), view.getUint32(4), view.getUint32(0)]
}

function createSeedError(seed: bigint | number): Error {
  const isRounded = Number.isInteger(seed) && seed > 0
  const wanted = isRounded ? 'a bigint past 2^53 - 1' : 'an integer in 0..2^128 - 1'
  const message = `"seed" expected ${wanted}, got ${String(seed)}`
  const isNumber = typeof seed === 'bigint' || typeof seed === 'number'
  if (!isNumber) return new TypeError(message)
  return new RangeError(message)
}

/** Returns a function that hashes 32-bit words. Its constant changes at every word. */
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
