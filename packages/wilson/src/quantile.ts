import { expectOpenUnit } from './argument.ts'

const ROOT_2PI = 2.5066282746310002
const LOG_ROOT_2PI = 0.9189385332046728

/** sqrt(2 pi) (P(Z <= z) - 1/2) - z = -z^3 / (2 * 3) + z^5 / (2 * 4 * 5) - …. For |z| <= 1. */
function bendAt(z: number): number {
  let sum = 0
  let term = z
  for (let k = 1; k < 18; k++) {
    term *= (-z * z) / (2 * k)
    sum += term / (2 * k + 1)
  }
  return sum
}

/** Terms of Laplace's fraction: at z = 0.9 what comes after them is under 1e-20 of it. */
const MILLS_TERMS = 420

/**
 * Mills' ratio, P(Z > z) / density(z) = 1 / (z + 1 / (z + 2 / (z + 3 / …))), Laplace's fraction.
 * For z >= 0.9.
 */
function millsAt(z: number): number {
  let below = z
  for (let k = MILLS_TERMS; k > 0; k--) below = z + k / below
  return 1 / below
}

/**
 * The z with P(Z <= z) = p for a standard normal Z, within a few units in the last place, both
 * tails alike down to the smallest double. Near p = 1 prefer `-normalQuantile(alpha)`: 1 - alpha
 * itself rounds.
 *
 * Newton's method, each step with the distribution to full precision. For people: Math.exp and
 * Math.log may differ in the last digit between engines, so never decide with it.
 *
 * Source: Abramowitz and Stegun (1964), 26.2.10 and 26.2.14. Vectors:
 * vectors/wilson/quantiles.json.
 * @throws RangeError unless 0 < p < 1.
 */
export function normalQuantile(p: number): number {
  expectOpenUnit('p', p)
  const offset = p - 0.5
  if (Math.abs(offset) < 0.34) return centralQuantile(offset)
  const z = tailQuantile(Math.min(p, 1 - p))
  return offset < 0 ? -z : z
}

/** The z with P(Z <= z) - 1/2 = offset, from -0.34 to 0.34. */
function centralQuantile(offset: number): number {
  const area = offset * ROOT_2PI
  let z = area
  for (let step = 0; step < 6; step++) z -= (z - area + bendAt(z)) * Math.exp((z * z) / 2)
  return z
}

/** The z with P(Z > z) = tail, at most 0.16. */
function tailQuantile(tail: number): number {
  // On log P(Z > z), concave and nearly a parabola: from the right Newton cannot overshoot, nor
  // anything underflow.
  const logTail = Math.log(tail)
  let z = Math.sqrt(-2 * logTail)
  for (let step = 0; step < 6; step++) {
    const ratio = millsAt(z)
    z += ratio * (Math.log(ratio) - (z * z) / 2 - LOG_ROOT_2PI - logTail)
  }
  return z
}
