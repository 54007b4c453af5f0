import type { UidWeights } from './chain.ts'

const MAX_WEIGHT = 65_535
const UNIT = 2 ** 32 // the chain scales in 32.32 fixed point

/**
 * The weights as the chain stores them: the largest becomes 65535, and the others keep their ratio
 * to it, with halves rounded up.
 *
 * Source: `vec_max_upscale_to_u16` in subtensor, bit for bit. Vectors:
 * vectors/chain/max-upscale.json.
 */
export function rescale(weights: UidWeights): UidWeights {
  const largest = Math.max(...weights.map(([, weight]) => weight))
  if (largest === 0) return weights
  const scale = scaleTo(largest)
  return weights.map(([uid, weight]) => [uid, scale(weight)])
}

function scaleTo(largest: number): (weight: number) => number {
  if (largest <= 32_768)
    return (weight) => Math.floor((2 * weight * MAX_WEIGHT + largest) / (2 * largest))
  // Above 32768 the chain divides first, so that no product overflows: its quotient is cut off
  // below 2^-32.
  const quotient = Math.floor((MAX_WEIGHT * UNIT) / largest)
  return (weight) => Math.floor((weight * quotient + UNIT / 2) / UNIT)
}
