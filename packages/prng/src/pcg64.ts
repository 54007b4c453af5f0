/** NumPy's `bit_generator.state`: the 128-bit position and stream, and the 32-bit half that waits to be drawn. */
export interface PcgState {
  readonly state: bigint
  readonly inc: bigint
  readonly hasUint32: boolean
  /** The half that waits, or the one drawn last. */
  readonly uinteger: number
}

// The multiplier 0x2360ed051fc65da44385df649fccf645, in words of 32 bits and in halves of 16, lowest first.
const M0 = 0x9fccf645
const M1 = 0x4385df64
const M2 = 0x1fc65da4
const M3 = 0x2360ed05
const [H0, H1, H2, H3, H4, H5] = [0xf645, 0x9fcc, 0xdf64, 0x4385, 0x5da4, 0x1fc6]

/**
 * PCG64 (XSL-RR, 128 bits of state, 64 of output), the bits under `np.random.default_rng`.
 *
 * The state lives in words of 32 bits. A word times a half is below 2^48, and a column of such products below
 * 2^53, so plain numbers hold them exactly and nothing is allocated.
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
    const at = (i: number): number => words[i] ?? 0
    this.#inc[0] = (at(6) << 1) | 1
    this.#inc[1] = (at(7) << 1) | (at(6) >>> 31)
    this.#inc[2] = (at(4) << 1) | (at(7) >>> 31)
    this.#inc[3] = (at(5) << 1) | (at(4) >>> 31)
    let carry = 0
    for (const [i, word] of [at(2), at(3), at(0), at(1)].entries()) {
      carry += word + (this.#inc[i] ?? 0)
      this.#state[i] = carry
      carry = carry > 0xffffffff ? 1 : 0
    }
    this.next()
  }

  /** Draws 64 bits into `high` and `low`. */
  next(): void {
    const [state, inc] = [this.#state, this.#inc]
    const a = state[0] as number
    const b = state[1] as number
    const c = state[2] as number
    const d = state[3] as number
    // state * M + inc by columns: p holds the lower halves of M, q the upper ones with what p carries.
    const p0 = a * H0 + (inc[0] as number)
    const q0 = a * H1 + Math.floor(p0 / 65536)
    const p1 = a * H2 + b * H0 + (inc[1] as number) + Math.floor(q0 / 65536)
    const q1 = a * H3 + b * H1 + Math.floor(p1 / 65536)
    const p2 = a * H4 + b * H2 + c * H0 + (inc[2] as number) + Math.floor(q1 / 65536)
    const q2 = a * H5 + b * H3 + c * H1 + Math.floor(p2 / 65536)
    const top = Math.imul(a, M3) + Math.imul(b, M2) + Math.imul(c, M1) + Math.imul(d, M0)
    const s0 = (q0 << 16) | (p0 & 0xffff)
    const s1 = (q1 << 16) | (p1 & 0xffff)
    const s2 = (q2 << 16) | (p2 & 0xffff)
    const s3 = (top + (inc[3] as number) + Math.floor(q2 / 65536)) | 0
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
