import { Pcg64, type PcgState } from './pcg64.ts'
import { expectInteger, type SeedSequence, seedSequence } from './seed-sequence.ts'

/** NumPy's `Generator`, one number at a time; every call draws the same bits as the call of NumPy beside it. */
export interface Generator {
  /** 0n to 2^64 - 1; `bit_generator.random_raw()`. */
  uint64(): bigint
  /** 0 to 2^32 - 1; `integers(2**32)`. Two of them share 64 bits, also with other draws in between. */
  uint32(): number
  /** 0 <= x < 1 in steps of 2^-53; `random()`. */
  random(): number
  /** low <= x < high, evenly; `integers(low, high)`. @throws RangeError unless low < high <= low + 2^53, high <= 2^53. */
  integers(low: number, high: number): number
  /** Shuffles in place, evenly; `shuffle(list)`. */
  shuffle<T>(array: T[]): void
  /** 0 to n - 1 in a random order; `permutation(n)`. */
  permutation(n: number): number[]
  /** 0 <= x < n, evenly; `choice(n)`. */
  choice(n: number): number
  /** A copy; `bit_generator.state`. */
  readonly state: PcgState
}

const TWO_32 = 2 ** 32
// Puts two halves together at the price of one bigint, where arithmetic would make three.
const view = new DataView(new ArrayBuffer(8))

/**
 * `np.random.Generator(np.random.PCG64(seed))`: the stream of `np.random.default_rng(seed)`, bit for bit.
 *
 * Not cryptographic: whoever sees a few draws can tell the next ones.
 *
 * Vectors: vectors/prng/generator.json.
 * @throws TypeError or RangeError as `seedSequence` does.
 */
export function pcg64(seed: bigint | number | SeedSequence): Generator {
  const sequence = isSequence(seed) ? seed : seedSequence(seed)
  return new PcgGenerator(sequence.generateState(8))
}

const isSequence = (seed: bigint | number | SeedSequence): seed is SeedSequence =>
  typeof seed === 'object' && seed !== null && 'generateState' in seed

class PcgGenerator extends Pcg64 implements Generator {
  uint64(): bigint {
    this.next()
    view.setUint32(0, this.high)
    view.setUint32(4, this.low)
    return view.getBigUint64(0)
  }

  random(): number {
    this.next()
    return (this.high * 2 ** 21 + (this.low >>> 11)) / 2 ** 53
  }

  integers(low: number, high: number): number {
    const range = lastOffset(low, high)
    // Adding makes a lower bound of -0 a zero.
    if (range === 0) return low + 0
    if (range > TWO_32 - 1) return low + this.#below64(range + 1)
    return low + (range === TWO_32 - 1 ? this.uint32() : this.#below32(range + 1))
  }

  shuffle<T>(array: T[]): void {
    if (!Array.isArray(array)) throw new TypeError(`"array" expected an array, got ${typeof array}`)
    for (let i = array.length - 1; i > 0; i--) {
      // Here NumPy draws by mask and rejection, not by Lemire's method.
      const mask = 0xffffffff >>> Math.clz32(i)
      let j = (this.uint32() & mask) >>> 0
      while (j > i) j = (this.uint32() & mask) >>> 0
      const moved = array[i] as T
      array[i] = array[j] as T
      array[j] = moved
    }
  }

  permutation(n: number): number[] {
    expectInteger('n', n, 0, TWO_32 - 1)
    const array = Array.from({ length: n }, (_, i) => i)
    this.shuffle(array)
    return array
  }

  choice(n: number): number {
    expectInteger('n', n, 1, 2 ** 53)
    return this.integers(0, n)
  }

  /**
   * Lemire's method: the upper half of draw * size, unless the lower half is one of the 2^32 mod size that would
   * make some results likelier than others.
   *
   * Source: Lemire (2019), doi:10.1145/3230636; numpy/random/src/distributions.
   */
  #below32(size: number): number {
    let draw = this.uint32()
    let rest = Math.imul(draw, size) >>> 0
    if (rest < size) {
      const unfair = TWO_32 % size
      while (rest < unfair) {
        draw = this.uint32()
        rest = Math.imul(draw, size) >>> 0
      }
    }
    return upperHalf(draw, size)
  }

  /** The same with 64 bits a draw, 2^32 < size <= 2^53. */
  #below64(size: number): number {
    const upper = Math.floor(size / TWO_32)
    const lower = size >>> 0
    let unfair = -1
    for (;;) {
      this.next()
      const { high, low } = this
      const middle = upperHalf(low, lower) + (Math.imul(low, upper) >>> 0) + (Math.imul(high, lower) >>> 0)
      // Rounded when over 2^53, but then it is above every size.
      const rest = (middle >>> 0) * TWO_32 + (Math.imul(low, lower) >>> 0)
      if (rest < size && unfair < 0) unfair = 2 ** 64 % size
      if (rest < unfair) continue
      return high * upper + upperHalf(high, lower) + Math.floor((low * upper) / TWO_32) + Math.floor(middle / TWO_32)
    }
  }
}

/** What can at most be added to `low`: an exact number, although `high` may be one past the last safe integer. */
function lastOffset(low: number, high: number): number {
  if (Number.isSafeInteger(low) && Number.isInteger(high) && low < high && high <= 2 ** 53) {
    const offset = high - 1 - low
    if (Number.isSafeInteger(offset)) return offset
  }
  const Kind = typeof low === 'number' && typeof high === 'number' ? RangeError : TypeError
  throw new Kind(`"low, high" expected integers, low < high <= low + 2^53, got ${String(low)}, ${String(high)}`)
}

/** The upper 32 bits of the product of two numbers of 32 bits. */
function upperHalf(a: number, b: number): number {
  return Math.floor((a * (b >>> 16) + Math.floor((a * (b & 0xffff)) / 65536)) / 65536)
}
