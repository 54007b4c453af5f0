import { pcg64 } from '@affine/prng'
import { duel, type Strategy } from './simulation.ts'

const run = (lanes: number, p: number, tied: number, strategy: Strategy, n: number) => {
  const random = pcg64(1n)
  let won = 0,
    ch = 0,
    chw = 0
  const t = performance.now()
  for (let i = 0; i < n; i++) {
    const r = duel({ lanes, p, tied, strategy }, random)
    if (r.won) {
      won++
      chw += r.challenges
    }
    ch += r.challenges
  }
  console.log(
    lanes,
    p,
    tied,
    strategy.padEnd(14),
    (won / n).toFixed(4),
    'mean',
    (ch / n).toFixed(0),
    'won',
    (chw / won).toFixed(0),
    ((performance.now() - t) / 1000).toFixed(1) + 's',
  )
}
const N = Number(process.argv[2] ?? 200)
for (const M of [4, 7, 16, 64]) {
  for (const tied of [0, 0.2])
    for (const s of ['honest', 'all wins', 'copy the best', 'inside, up'] as const) run(M, 0.51, tied, s, N)
  for (const p of [0.55, 0.6, 0.7]) for (const tied of [0.2]) run(M, p, tied, 'honest', N)
  for (const s of ['all losses', 'all ties', 'inside, down'] as const) run(M, 0.6, 0.2, s, N)
}
