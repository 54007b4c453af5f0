import { crossing, type WinRule } from '../src/index.ts'

/** Returns the largest crossing probability over the calibrated ratios, and its ratio. */
export function largest(rule: WinRule): {
  probability: number
  ratioPpm: number
} {
  let most = { probability: 0, ratioPpm: 0 }
  for (let ratioPpm = 500_000; ratioPpm <= 950_000; ratioPpm += 1_000) {
    const probability = crossing({ p: ratioPpm / 1e6, ratioPpm, rule })
    if (probability > most.probability) most = { probability, ratioPpm }
  }
  return most
}
