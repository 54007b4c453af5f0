import { seedWords } from './seed-words.ts'

// The multiplier 0x2360ed051fc65da44385df649fccf645 in words of 32 bits, lowest first.
const M0 = 0x9fccf645
const M1 = 0x4385df64
const M2 = 0x1fc65da4
const M3 = 0x2360ed05
const TWO_32 = 2 ** 32
type Words = Uint32Array & Record<0 | 1 | 2 | 3, number>
// Joins the halves of a draw with one bigint; arithmetic would allocate three.
const view = new DataView(new ArrayBuffer(8))

/**
 * Returns a generator of the stream of `np.random.default_rng(seed)`, bit for bit.
 *
 * Not cryptographic: a few numbers are enough to predict the next ones.
 *
 * Vectors: vectors/prng/generator.json. Protocol §2.1.
 * @throws TypeError or RangeError as `seedWords` does.
 */
export function pcg64(seed: bigint | number): Generator {
  return startGenerator(seedWords(seed))
}

/** Returns a generator that starts from the eight words of `seedWords`. */
export function startGenerator(words: Uint32Array): Generator {
  const [state, inc] = [new Uint32Array(4) as Words, new Uint32Array(4) as Words]
  let shifted = 1
  let carry = 0
  for (let i = 0; i < 4; i++) {
    // NumPy reads the upper half of a 128-bit number first: the seed is in words 2, 3, 0, 1, then
    // the stream.
    const seed = words[i ^ 2] ?? 0
    const stream = words[4 + (i ^ 2)] ?? 0
    inc[i] = (stream << 1) | shifted
    shifted = stream >>> 31
    // NumPy starts from zero, steps, which gives the increment, adds the seed and steps again.
    const sum = (inc[i] ?? 0) + seed + carry
    state[i] = sum
    carry = Math.floor(sum / TWO_32)
  }
  const generator = new Generator(state, inc)
  generator.uint64()
  return generator
}

/**
 * NumPy's `Generator`, one number at a time. Every method draws the same bits as NumPy's call in
 * its comment.
 *
 * The bits come from PCG64 (XSL-RR, 128 bits of state, 64 of output). The state is in words of 32
 * bits, lowest first, so that plain numbers suffice and no call allocates.
 *
 * Source: O'Neill (2014), HMC-CS-2014-0905; numpy/random/src/pcg64.
 */
export class Generator {
  readonly #state: Words
  readonly #inc: Words
  /** Upper half of the last draw. */
  #high = 0
  /** Lower half of the last draw. */
  #low = 0
  #hasUint32 = false
  #uinteger = 0

  constructor(state: Words, inc: Words) {
    this.#state = state
    this.#inc = inc
  }

  /** Returns 0n to 2^64 - 1; `bit_generator.random_raw()`. Protocol §2.2. */
  uint64(): bigint {
    this.#next()
    view.setUint32(0, this.#high)
    view.setUint32(4, this.#low)
    return view.getBigUint64(0)
  }

  /**
   * Returns 0 to 2^32 - 1; `integers(2**32)`: the lower half of 64 bits. The next draw of 32 bits,
   * also by `integers` or `permutation`, is the upper half, regardless of draws of 64 bits in
   * between. Protocol §2.2.
   */
  uint32(): number {
    if (this.#hasUint32) {
      this.#hasUint32 = false
      return this.#uinteger
    }
    this.#next()
    this.#hasUint32 = true
    this.#uinteger = this.#high
    return this.#low
  }

  /** Returns 0 <= x < 1 in steps of 2^-53; `random()`. Protocol §2.2. */
  random(): number {
    this.#next()
    return (this.#high * 2 ** 21 + (this.#low >>> 11)) / 2 ** 53
  }

  /**
   * Returns low <= x < high, evenly distributed; `integers(low, high)`.
   *
   * Lemire's method: the result is the upper half of draw * size. The draw is repeated if the lower
   * half is below 2^32 (2^64) mod size, which would make some results likelier.
   *
   * Source: Lemire (2019), doi:10.1145/3230636; numpy/random/src/distributions. Protocol §2.2.
   * @throws TypeError unless both are numbers; RangeError unless they are integers, low >= 1 - 2^53
   *   and low < high <= low + 2^53, high <= 2^53.
   */
  integers(low: number, high: number): number {
    const size = rangeSize(low, high)
    // `+ 0` turns a lower bound of -0 into 0.
    if (size === 1) return low + 0
    if (size > TWO_32) return low + this.#integerBelow(BigInt(size))
    for (;;) {
      const draw = this.uint32()
      const rest = Math.imul(draw, size) >>> 0
      // The product minus its lower half is a multiple of 2^32, from which the float differs by
      // less than 2^11, so rounding is exact.
      if (rest >= size || rest >= TWO_32 % size)
        return low + Math.round((draw * size - rest) / TWO_32)
    }
  }

  /** Returns 0 <= x < size from draws of 64 bits, for 2^32 < size <= 2^53. */
  #integerBelow(size: bigint): number {
    for (;;) {
      const product = this.uint64() * size
      if (BigInt.asUintN(64, product) >= 2n ** 64n % size) return Number(product >> 64n)
    }
  }

  /**
   * Returns 0 to n - 1 in random order; `permutation(n)`.
   * @throws RangeError unless n is an integer from 0 to 2^32 - 1.
   */
  permutation(n: number): number[] {
    const array = [...new Array<undefined>(n).keys()]
    for (let i = array.length - 1; i > 0; i--) {
      // For permutations NumPy draws by mask and rejection.
      const mask = 0xffffffff >>> Math.clz32(i)
      let j = (this.uint32() & mask) >>> 0
      while (j > i) j = (this.uint32() & mask) >>> 0
      const item = array[i] as number
      array[i] = array[j] as number
      array[j] = item
    }
    return array
  }

  /** Returns a generator that draws the same numbers from here on. */
  copy(): Generator {
    const copy = new Generator(new Uint32Array(this.#state) as Words, this.#inc)
    copy.#hasUint32 = this.#hasUint32
    copy.#uinteger = this.#uinteger
    return copy
  }

  /** Draws 64 bits into `#high` and `#low`. */
  #next(): void {
    const state = this.#state
    const inc = this.#inc
    const { 0: a, 1: b, 2: c, 3: d } = state
    // state * M + inc by columns. Integer multiplication wraps, so a column's lower word is exact.
    const l0 = (Math.imul(a, M0) + inc[0]) >>> 0
    const l1 = (Math.imul(a, M1) + Math.imul(b, M0) + inc[1]) >>> 0
    const l2 = (Math.imul(a, M2) + Math.imul(b, M1) + Math.imul(c, M0) + inc[2]) >>> 0
    const l3 = Math.imul(a, M3) + Math.imul(b, M2) + Math.imul(c, M1) + Math.imul(d, M0) + inc[3]
    // A column minus its lower word is a multiple of 2^32, from which the float differs by less
    // than 2^14, so rounding gives exactly the upper words.
    const h0 = Math.floor((a * M0 + inc[0] - l0) / TWO_32 + 0.5)
    const h1 = Math.floor((a * M1 + b * M0 + inc[1] - l1) / TWO_32 + 0.5)
    const h2 = Math.floor((a * M2 + b * M1 + c * M0 + inc[2] - l2) / TWO_32 + 0.5)
    const s1 = l1 + h0
    const s2 = l2 + h1 + Math.floor(s1 / TWO_32)
    const s3 = (l3 + h2 + Math.floor(s2 / TWO_32)) | 0
    state[0] = l0
    state[1] = s1
    state[2] = s2
    state[3] = s3
    // The exclusive or of the state's halves, rotated right by the state's six upper bits.
    const isSwapped = s3 < 0
    const x = isSwapped ? l0 ^ s2 : s1 ^ s3
    const y = isSwapped ? s1 ^ s3 : l0 ^ s2
    const shift = (s3 >>> 26) & 31
    this.#high = ((x >>> shift) | ((y << 1) << (31 - shift))) >>> 0
    this.#low = ((y >>> shift) | ((x << 1) << (31 - shift))) >>> 0
  }
}

/**
 * Returns the number of integers in low..high - 1.
 * @throws TypeError or RangeError unless that number and each integer is an exact float.
 */
function rangeSize(low: number, high: number): number {
  if (Number.isSafeInteger(low) && Number.isInteger(high) && low < high && high <= 2 ** 53) {
    // One less than the size, which is a safe integer if the size is exact.
    const offset = high - 1 - low
    if (Number.isSafeInteger(offset)) return offset + 1
  }
  const message =
    '"low, high" expected integers, low < high <= low + 2^53, ' +
    `got ${String(low)}, ${String(high)}`
  if (typeof low !== 'number' || typeof high !== 'number') throw new TypeError(message)
  throw new RangeError(message)
}
