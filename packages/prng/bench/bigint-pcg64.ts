const MASK = (1n << 128n) - 1n
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n

/** The generator of `pcg64` in plain BigInt, the reference in the bench and the tests. */
export class BigIntPcg64 {
  state: bigint
  inc: bigint
  waiting = -1

  constructor(words: Uint32Array) {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words
    this.inc = ((joinWords(f, e, h, g) << 1n) | 1n) & MASK
    this.state = (this.inc + joinWords(b, a, d, c)) & MASK
    this.uint64()
  }

  uint64(): bigint {
    this.state = (this.state * MULTIPLIER + this.inc) & MASK
    const mixed = (this.state >> 64n) ^ (this.state & 0xffffffffffffffffn)
    const turn = this.state >> 122n
    return BigInt.asUintN(64, (mixed >> turn) | (mixed << (64n - turn)))
  }

  uint32(): number {
    if (this.waiting >= 0) {
      const waiting = this.waiting
      this.waiting = -1
      return waiting
    }
    const draw = this.uint64()
    this.waiting = Number(draw >> 32n)
    return Number(draw & 0xffffffffn)
  }

  random(): number {
    return Number(this.uint64() >> 11n) / 2 ** 53
  }

  integers(low: number, high: number): number {
    const size = BigInt(high) - BigInt(low)
    if (size === 1n) return low
    const bits = size > 1n << 32n ? 64n : 32n
    const unfair = (1n << bits) % size
    for (;;) {
      const product = (bits === 64n ? this.uint64() : BigInt(this.uint32())) * size
      if (BigInt.asUintN(Number(bits), product) >= unfair)
        return Number(BigInt(low) + (product >> bits))
    }
  }

  permutation(n: number): number[] {
    const array = [...Array(n).keys()]
    for (let i = n - 1; i > 0; i--) {
      const mask = 0xffffffff >>> Math.clz32(i)
      let j = this.uint32() & mask
      while (j > i) j = this.uint32() & mask
      const moved = array[i] as number
      array[i] = array[j] as number
      array[j] = moved
    }
    return array
  }
}

/** Returns the number of 128 bits that four words make, the highest first. */
const joinWords = (...words: readonly number[]): bigint =>
  words.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n)
