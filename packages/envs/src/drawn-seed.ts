/** A seed that nobody knows before: 128 bits of the Web Crypto API. */
export function drawnSeed(): bigint {
  const words = crypto.getRandomValues(new BigUint64Array(2))
  return words.reduce((seed, word) => (seed << 64n) | word, 0n)
}
