import { expect, test } from 'vitest'
import { decisionsOf } from './decisions.ts'
import { streamOf } from './draw.ts'
import { drawFaults } from './faults.ts'
import { strengthOf } from './miners.ts'
import { ThroneWatch } from './throne-watch.ts'
import { drawWorld } from './world.ts'

// Few seeds, unless asked for more: SEEDS=10000 takes some minutes.
const SEEDS = Number(process.env.SEEDS ?? 100)

/** What the decisions of a seed broke, and its duels that a contender no better than R could win. */
function play(seed: number) {
  const world = drawWorld(seed, 20)
  const faults = drawFaults(world, streamOf(seed, 'faults'))
  const liars = new Set(faults.filter(({ kind }) => kind === 'lies').map(({ who }) => who))
  const broken: string[] = []
  const watch = new ThroneWatch((promise, detail) => broken.push(`${promise}: ${detail}`))
  const seen = { broken, epochs: 0, frozen: 0, duels: 0, worse: 0, falsely: 0, isBeyond: false }
  const whoIs = (hotkey: string) => world.validators.findIndex((each) => each.hotkey === hotkey)
  for (const decided of decisionsOf(world, faults)) {
    const { before, report, present, quorum, snapshot } = decided
    const weigh = (weights: Readonly<Record<string, number>>, isMeant: (who: number) => boolean) =>
      Object.entries(weights).reduce((sum, [key, ppm]) => sum + (isMeant(whoIs(key)) ? ppm : 0), 0)
    const { weights = {} } = before.duel ?? {}
    const lying = weigh(weights, (who) => liars.has(who))
    seen.isBeyond = lying > 0 && 3 * lying >= weigh(weights, () => true)
    if (seen.isBeyond) break
    const honest = weigh(quorum.weights, (who) => present.includes(who) && !liars.has(who))
    const all = weigh(quorum.weights, () => true)
    watch.see(decided, all > 0 && 3 * honest >= 2 * all)
    seen.epochs += 1
    seen.frozen += Number(report.frozen)
    if (!before.duel || !report.outcome) continue
    seen.duels += 1
    const { champion, contender } = before.duel
    const stands = (hotkey: string, revision: string) =>
      snapshot.miners.some((miner) => miner.hotkey === hotkey && miner.revision === revision)
    const [c, p] = [strengthOf(world, contender), strengthOf(world, champion)]
    if (c > p || !stands(champion.hotkey, champion.revision)) continue
    seen.worse += 1
    if (report.outcome !== 'contender') continue
    seen.falsely += 1
    if (c < p) broken.push(`a contender of ${c} dethrones one of ${p} in epoch ${before.epoch}`)
  }
  return seen
}

test('duels start with a quorum, end frozen, and crown nobody worse, whoever is away', () => {
  const sums = { epochs: 0, frozen: 0, duels: 0, worse: 0, falsely: 0, beyond: 0 }
  for (let seed = 0; seed < SEEDS; seed++) {
    const { broken, isBeyond, ...seen } = play(seed)
    expect(broken, `seed ${seed}`).toEqual([])
    for (const key of ['epochs', 'frozen', 'duels', 'worse', 'falsely'] as const)
      sums[key] += seen[key]
    sums.beyond += Number(isBeyond)
  }
  if (process.env.SEEDS) console.log(sums)
  expect(sums.frozen).toBeGreaterThan(0)
  expect(sums.falsely).toBeLessThanOrEqual(0.05 * sums.worse + 3)
})
