/** NumPy's `bit_generator.state`: the 128-bit position and stream, and the 32-bit half that waits to be drawn. */
export interface PcgState {
  readonly state: bigint
  readonly inc: bigint
  readonly hasUint32: boolean
  /** The half that waits, or the one drawn last. */
  readonly uinteger: number
}

// The multiplier 0x2360ed051fc65da44385df649fccf645 in words of 32 bits, lowest first.
const M0 = 0x9fccf645
const M1 = 0x4385df64
const M2 = 0x1fc65da4
const M3 = 0x2360ed05
const TWO_32 = 2 ** 32

/**
 * PCG64 (XSL-RR, 128 bits of state, 64 of output), the bits under `np.random.default_rng`.
 *
 * The state lives in words of 32 bits, so that plain numbers do and nothing is allocated.
 *
 * Source: O'Neill (2014), HMC-CS-2014-0905; numpy/random/src/pcg64.
 */
export class Pcg64 {
  /** The upper half of the last draw. */
  high = 0
  /** The lower half of the last draw. */
  low = 0
  readonly #state = new Uint32Array(4)
  readonly #inc = new Uint32Array(4)
  #hasUint32 = false
  #uinteger = 0

  /** `words`: eight words of 32 bits; NumPy takes the upper half of each 128-bit number first. */
  constructor(words: Uint32Array) {
    const [s2 = 0, s3 = 0, s0 = 0, s1 = 0, i2 = 0, i3 = 0, i0 = 0, i1 = 0] = words
    // The increment is odd: its number moved up by one bit, and one.
    this.#inc[0] = (i0 << 1) | 1
    this.#inc[1] = (i1 << 1) | (i0 >>> 31)
    this.#inc[2] = (i2 << 1) | (i1 >>> 31)
    this.#inc[3] = (i3 << 1) | (i2 >>> 31)
    // NumPy starts from zero, steps, adds the seed and steps again; the first step leaves the increment.
    const seed = [s0, s1, s2, s3]
    let carry = 0
    for (let i = 0; i < 4; i++) {
      const sum = (seed[i] as number) + (this.#inc[i] as number) + carry
      this.#state[i] = sum
      carry = sum >= TWO_32 ? 1 : 0
    }
    this.next()
  }

  /** Draws 64 bits into `high` and `low`. */
  next(): void {
    const state = this.#state
    const inc = this.#inc
    const a = state[0] as number
    const b = state[1] as number
    const c = state[2] as number
    const d = state[3] as number
    const i0 = inc[0] as number
    const i1 = inc[1] as number
    const i2 = inc[2] as number
    // state * M + inc by columns. The lower word of a column is exact, as integer multiplication wraps.
    const l0 = (Math.imul(a, M0) + i0) >>> 0
    const l1 = (Math.imul(a, M1) + Math.imul(b, M0) + i1) >>> 0
    const l2 = (Math.imul(a, M2) + Math.imul(b, M1) + Math.imul(c, M0) + i2) >>> 0
    const l3 = Math.imul(a, M3) + Math.imul(b, M2) + Math.imul(c, M1) + Math.imul(d, M0) + (inc[3] as number)
    // Without it a column is a multiple of 2^32, rounded by less than 2^14: rounding back gives what is above it.
    const h0 = Math.floor((a * M0 + i0 - l0) / TWO_32 + 0.5)
    const h1 = Math.floor((a * M1 + b * M0 + i1 - l1) / TWO_32 + 0.5)
    const h2 = Math.floor((a * M2 + b * M1 + c * M0 + i2 - l2) / TWO_32 + 0.5)
    const t1 = l1 + h0
    const t2 = l2 + h1 + Math.floor(t1 / TWO_32)
    const s0 = l0 | 0
    const s1 = t1 | 0
    const s2 = t2 | 0
    const s3 = (l3 + h2 + Math.floor(t2 / TWO_32)) | 0
    state[0] = s0
    state[1] = s1
    state[2] = s2
    state[3] = s3
    // The two halves of the state, xored, and rotated right by the state's six upper bits.
    const swap = s3 < 0
    const x = swap ? s0 ^ s2 : s1 ^ s3
    const y = swap ? s1 ^ s3 : s0 ^ s2
    const turn = (s3 >>> 26) & 31
    this.high = ((x >>> turn) | ((y << 1) << (31 - turn))) >>> 0
    this.low = ((y >>> turn) | ((x << 1) << (31 - turn))) >>> 0
  }

  /** Draws 32 bits: the lower half of 64, and at the next call the upper half, whatever was drawn in between. */
  uint32(): number {
    this.#hasUint32 = !this.#hasUint32
    if (!this.#hasUint32) return this.#uinteger
    this.next()
    this.#uinteger = this.high
    return this.low
  }

  get state(): PcgState {
    const number = (words: Uint32Array): bigint => words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n)
    return {
      state: number(this.#state),
      inc: number(this.#inc),
      hasUint32: this.#hasUint32,
      uinteger: this.#uinteger,
    }
  }
}
