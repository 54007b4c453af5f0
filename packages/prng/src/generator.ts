import { seedWords } from './seed-words.ts'

// The multiplier 0x2360ed051fc65da44385df649fccf645 in words of 32 bits, lowest first.
const M0 = 0x9fccf645
const M1 = 0x4385df64
const M2 = 0x1fc65da4
const M3 = 0x2360ed05
const TWO_32 = 2 ** 32
type Words = Uint32Array & Record<0 | 1 | 2 | 3, number>
// Joins two halves with one bigint, where arithmetic would make three.
const view = new DataView(new ArrayBuffer(8))

/**
 * `np.random.Generator(np.random.PCG64(seed))`: the stream of `np.random.default_rng(seed)`, bit
 * for bit.
 *
 * Not cryptographic: anyone who sees a few numbers can predict the next ones.
 *
 * Vectors: vectors/prng/generator.json. Protocol §2.1.
 * @throws TypeError or RangeError as `seedWords` does.
 */
export function pcg64(seed: bigint | number): Generator {
  return new Generator(seedWords(seed))
}

/**
 * NumPy's `Generator`, one number at a time; every call draws the same bits as the call of NumPy
 * that its comment names.
 *
 * The bits are those of PCG64 (XSL-RR, 128 bits of state, 64 of output). Its state is in words of
 * 32 bits, lowest first, so that plain numbers are enough and nothing is allocated.
 *
 * Source: O'Neill (2014), HMC-CS-2014-0905; numpy/random/src/pcg64.
 */
export class Generator {
  readonly #state = new Uint32Array(4) as Words
  readonly #inc = new Uint32Array(4) as Words
  /** The halves of the last draw. */
  #high = 0
  #low = 0
  #hasUint32 = false
  #uinteger = 0

  constructor(words: Uint32Array) {
    let shifted = 1
    let carry = 0
    for (let i = 0; i < 4; i++) {
      // NumPy takes the upper half of each 128-bit number first: the seed is in words 2, 3, 0, 1,
      // and the stream after it.
      const seed = words[i ^ 2] ?? 0
      const stream = words[4 + (i ^ 2)] ?? 0
      this.#inc[i] = (stream << 1) | shifted
      shifted = stream >>> 31
      // NumPy starts from zero, steps, adds the seed and steps again; the first step leaves the
      // increment.
      const sum = (this.#inc[i] ?? 0) + seed + carry
      this.#state[i] = sum
      carry = Math.floor(sum / TWO_32)
    }
    this.#next()
  }

  /** 0n to 2^64 - 1; `bit_generator.random_raw()`. Protocol §2.2. */
  uint64(): bigint {
    this.#next()
    view.setUint32(0, this.#high)
    view.setUint32(4, this.#low)
    return view.getBigUint64(0)
  }

  /**
   * 0 to 2^32 - 1; `integers(2**32)`. The lower half of 64 bits; the next call gives the upper
   * half, whatever was drawn in between. Protocol §2.2.
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

  /** 0 <= x < 1 in steps of 2^-53; `random()`. Protocol §2.2. */
  random(): number {
    this.#next()
    return (this.#high * 2 ** 21 + (this.#low >>> 11)) / 2 ** 53
  }

  /**
   * low <= x < high, evenly; `integers(low, high)`.
   *
   * Lemire's method: the result is the upper half of draw * size. It is drawn again if the lower
   * half is one of the 2^32 (2^64) mod size values that would make some results likelier than
   * others.
   *
   * Source: Lemire (2019), doi:10.1145/3230636; numpy/random/src/distributions. Protocol §2.2.
   * @throws RangeError unless low < high <= low + 2^53, high <= 2^53.
   */
  integers(low: number, high: number): number {
    const size = sizeOf(low, high)
    // The sum makes a lower bound of -0 a zero.
    if (size === 1) return low + 0
    if (size > TWO_32) return low + this.#below64(BigInt(size))
    for (;;) {
      const draw = this.uint32()
      const rest = Math.imul(draw, size) >>> 0
      // Without its lower half the product is a multiple of 2^32. As a float it is off by less than
      // 2^11, so that rounding is exact.
      if (rest >= size || rest >= TWO_32 % size)
        return low + Math.round((draw * size - rest) / TWO_32)
    }
  }

  /** The same with 64 bits a draw, 2^32 < size <= 2^53. */
  #below64(size: bigint): number {
    for (;;) {
      const product = this.uint64() * size
      if (BigInt.asUintN(64, product) >= 2n ** 64n % size) return Number(product >> 64n)
    }
  }

  /**
   * 0 to n - 1 in a random order; `permutation(n)`.
   * @throws RangeError unless n is an integer from 0 to 2^32 - 1.
   */
  permutation(n: number): number[] {
    const array = [...new Array<undefined>(n).keys()]
    for (let i = array.length - 1; i > 0; i--) {
      // Here NumPy draws by mask and rejection, not by Lemire's method.
      const mask = 0xffffffff >>> Math.clz32(i)
      let j = (this.uint32() & mask) >>> 0
      while (j > i) j = (this.uint32() & mask) >>> 0
      const moved = array[i] as number
      array[i] = array[j] as number
      array[j] = moved
    }
    return array
  }

  /** Returns a generator that draws the same numbers from here on. */
  copy(): Generator {
    const copy = new Generator(new Uint32Array(8))
    copy.#state.set(this.#state)
    copy.#inc.set(this.#inc)
    copy.#hasUint32 = this.#hasUint32
    copy.#uinteger = this.#uinteger
    return copy
  }

  /** Draws 64 bits into `#high` and `#low`. */
  #next(): void {
    const state = this.#state
    const inc = this.#inc
    const { 0: a, 1: b, 2: c, 3: d } = state
    // state * M + inc by columns. The lower word of a column is exact, as integer multiplication
    // wraps.
    const l0 = (Math.imul(a, M0) + inc[0]) >>> 0
    const l1 = (Math.imul(a, M1) + Math.imul(b, M0) + inc[1]) >>> 0
    const l2 = (Math.imul(a, M2) + Math.imul(b, M1) + Math.imul(c, M0) + inc[2]) >>> 0
    const l3 = Math.imul(a, M3) + Math.imul(b, M2) + Math.imul(c, M1) + Math.imul(d, M0) + inc[3]
    // Without it a column is a multiple of 2^32. As a float it is off by less than 2^14, so that
    // rounding gives exactly what is above it.
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
    // The two halves of the state, xored, and rotated right by the state's six upper bits.
    const swap = s3 < 0
    const x = swap ? l0 ^ s2 : s1 ^ s3
    const y = swap ? s1 ^ s3 : l0 ^ s2
    const turn = (s3 >>> 26) & 31
    this.#high = ((x >>> turn) | ((y << 1) << (31 - turn))) >>> 0
    this.#low = ((y >>> turn) | ((x << 1) << (31 - turn))) >>> 0
  }
}

/**
 * How many integers are in low..high - 1.
 * @throws TypeError or RangeError unless each of them, and their number, is an exact float.
 */
function sizeOf(low: number, high: number): number {
  if (Number.isSafeInteger(low) && Number.isInteger(high) && low < high && high <= 2 ** 53) {
    // One less than the size: it is safe if the size is exact.
    const offset = high - 1 - low
    if (Number.isSafeInteger(offset)) return offset + 1
  }
  const message =
    '"low, high" expected integers, low < high <= low + 2^53, ' +
    `got ${String(low)}, ${String(high)}`
  if (typeof low !== 'number' || typeof high !== 'number') throw new TypeError(message)
  throw new RangeError(message)
}
