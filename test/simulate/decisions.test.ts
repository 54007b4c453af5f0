import { expect, test } from 'vitest'
import { type DuelReport, isWon } from '../../packages/duel/src/index.ts'
import { type DecidedEpoch, decisionsOf } from './decisions.ts'
import { streamOf } from './draw.ts'
import { drawFaults } from './faults.ts'
import { strengthOf } from './miners.ts'
import { ThroneWatch } from './throne-watch.ts'
import type { Violation } from './witness.ts'
import { drawWorld } from './world.ts'

// SEEDS=10000 takes some minutes.
const SEEDS = Number(process.env.SEEDS ?? 20)

/**
 * Decides the epochs of a seed. Returns the broken promises, and counts of duels and false wins.
 */
function play(seed: number) {
  const world = drawWorld(seed, 20)
  const faults = drawFaults(world, streamOf(seed, 'faults'))
  const liars = new Set(faults.filter(({ kind }) => kind === 'lies').map(({ who }) => who))
  const broken: Violation[] = []
  const watch = new ThroneWatch((violation) => void broken.push(violation))
  const seen = { broken, epochs: 0, frozen: 0, most: 0, duels: 0, won: 0, worse: 0, falsely: 0 }
  const indexOf = (hotkey: string) => world.validators.findIndex((each) => each.hotkey === hotkey)
  for (const decided of decisionsOf(world, faults)) {
    const { before, report, present } = decided
    const weigh = (isMeant: (who: number) => boolean) =>
      Object.entries(before.voters).reduce(
        (sum, [key, ppm]) => sum + (isMeant(indexOf(key)) ? ppm : 0),
        0,
      )
    const [lying, all] = [weigh((who) => liars.has(who)), weigh(() => true)]
    if (lying > 0 && 3 * lying >= all) return { ...seen, isBeyond: true }
    const honest = weigh((who) => present.includes(who) && !liars.has(who))
    watch.see(decided, all > 0 && 3 * honest >= 2 * all)
    seen.epochs += 1
    seen.frozen += Number(report.frozen)
    seen.most = Math.max(seen.most, before.duels.length)
    const p = before.champion ? strengthOf(world, before.champion) : 0
    const strengths = duelsEnding(decided).map(({ contender, standing }) => {
      return { c: strengthOf(world, contender), isWon: standing === 'won' }
    })
    const worse = strengths.filter(({ c }) => c <= p)
    seen.duels += strengths.length
    seen.won += strengths.filter(({ isWon }) => isWon).length
    seen.worse += worse.length
    seen.falsely += worse.filter(({ isWon }) => isWon).length
    for (const { c } of worse.filter(({ c, isWon }) => isWon && c < p))
      broken.push({ promise: 'WEAKER_FAIL', epoch: before.epoch, detail: { c, p } })
  }
  return { ...seen, isBeyond: false }
}

/** Returns the duels that are won or lost in this epoch. */
function duelsEnding({ before, report }: DecidedEpoch): readonly DuelReport[] {
  return report.duels.filter(({ standing }, i) => {
    const duel = before.duels[i]
    return standing !== 'open' && duel !== undefined && !isWon(duel, before.protocol)
  })
}

test('begins and ends duels and crowns contenders as promised, with any validators absent', {
  timeout: 600_000 + 200 * SEEDS,
}, () => {
  const sums = { most: 0, beyond: 0, epochs: 0, frozen: 0, duels: 0, won: 0, worse: 0, falsely: 0 }
  for (let seed = 0; seed < SEEDS; seed++) {
    const { broken, isBeyond, ...seen } = play(seed)
    expect(broken, `seed ${seed}`).toEqual([])
    for (const key of ['epochs', 'frozen', 'duels', 'won', 'worse', 'falsely'] as const)
      sums[key] += seen[key]
    sums.most = Math.max(sums.most, seen.most)
    sums.beyond += Number(isBeyond)
  }
  if (process.env.SEEDS) console.log(sums)
  expect(sums.frozen).toBeGreaterThan(0)
  expect(sums.most).toBeGreaterThan(1)
  expect(sums.won).toBeGreaterThan(0)
  expect(sums.falsely).toBeLessThanOrEqual(0.05 * sums.worse + 3)
})
