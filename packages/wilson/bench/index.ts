import { Bench } from 'tinybench'
import { calibrate, crossing, evaluate, walk } from '../src/index.ts'

const line = { holdOffset: 30, holdSlopePpm: 30_000 }
const rule = { cap: 5000, minTrials: 10, zSquaredPpm: 8_122_500n, ...line }
const counts = { wins: 1301, trials: 2500, ratioPpm: 510_000, rule }
const scaled = { ...counts, wins: 1_301_000_000, trials: 2_500_000_000, unit: 1_000_000n }

/** Returns the textbook's bounds, in floats. */
function floatBounds(wins: number, trials: number, z: number): [lower: number, upper: number] {
  const middle = wins + (z * z) / 2
  const width = z * Math.sqrt((wins * (trials - wins)) / trials + (z * z) / 4)
  return [(middle - width) / (trials + z * z), (middle + width) / (trials + z * z)]
}

/** Evaluates as a peer: by the same rule in floats, correct except near ties. */
function evaluateFloat({ wins, trials, ratioPpm, rule: { cap } }: typeof counts): string {
  const [lower, upper] = floatBounds(wins, trials, 2.85)
  const rate = ratioPpm / 1e6
  if (lower >= rate) return 'win'
  const isUnderLine = wins + 30 * rate * (1 - rate) <= trials * (rate + 0.03)
  return trials >= cap || upper < rate || isUnderLine ? 'hold' : 'continue'
}

/** Computes as a peer: the textbook's walk over every count at every trial, in floats. */
function textbookCrossing(p: number, cap: number): number {
  let crossed = 0
  const mass = new Float64Array(cap + 2)
  mass[0] = 1
  for (let trials = 1; trials <= cap; trials++) {
    for (let wins = trials; wins >= 0; wins--) {
      mass[wins] = (mass[wins] ?? 0) * (1 - p) + (mass[wins - 1] ?? 0) * p
      if (trials < 10 || wins < trials * p || floatBounds(wins, trials, 2.85)[0] < p) continue
      crossed += mass[wins] ?? 0
      mass[wins] = 0
    }
  }
  return crossed
}

const evaluations = new Bench({ name: 'an evaluation' })
  .add('nothing (what the clock costs)', () => {})
  .add('evaluate', () => void evaluate(counts))
  .add('evaluate, counts in millionths', () => void evaluate(scaled))
  .add('evaluate in floats (peer)', () => void evaluateFloat(counts))

const walks = new Bench({
  name: 'the exact walk',
  iterations: 3,
  warmupIterations: 1,
  warmupTime: 0,
  time: 1000,
})
  .add('crossing, cap 5000', () => void crossing({ p: 0.51, ratioPpm: 510_000, rule }))
  .add('crossing, cap 5000, textbook (peer)', () => void textbookCrossing(0.51, 5000))
  .add('walk, cap 5000', () => void walk({ p: 0.51, ratioPpm: 510_000, rule }))
  .add('calibrate, cap 500', () => void calibrate({ alpha: 0.05, cap: 500, minTrials: 10 }))
  .add('calibrate, cap 5000', () => void calibrate({ alpha: 0.05, cap: 5000, minTrials: 10 }))

for (const bench of [evaluations, walks]) {
  await bench.run()
  console.log(bench.name)
  console.table(
    bench.tasks.map(({ name, result }) => {
      const [p50, p99] = [result?.latency.p50 ?? Number.NaN, result?.latency.p99 ?? Number.NaN]
      const micros = (ms: number) => Number((ms * 1e3).toFixed(2))
      return {
        task: name,
        'median µs': micros(p50),
        'p99 µs': micros(p99),
        'per second': Math.round(1e3 / p50),
      }
    }),
  )
}
