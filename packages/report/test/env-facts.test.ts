import { decide, type LaneRule, type State, type Verdict, type VerdictCause } from '@affine/duel'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { epochOf, MAIN, OTHER, type Scene, startedDuels } from '../../duel/test/subnet.ts'
import { type Decider, describeEnv, type EnvFacts } from '../src/index.ts'

/** Decides a duel, one epoch for each scene, and returns the analyses of all epochs. */
function analysesOf(scenes: readonly Scene[], protocol: typeof MAIN): readonly Analysis[] {
  let state: State = startedDuels({ ...scenes[0], protocol })
  const analyses: Analysis[] = []
  for (const scene of scenes) {
    const { voters: weights } = state
    const settled = decide(state, epochOf(state, { ...scene, protocol }))
    const envs = settled.report.duels.flatMap((duel) => Object.entries(duel.envs))
    for (const [env, report] of envs)
      analyses.push([describeEnv({ env, report, weights, ratioPpm: RATIO }), report.rule])
    if (settled.state.duels.length === 0) break
    state = settled.state
  }
  return analyses
}

type Analysis = readonly [facts: EnvFacts, rule: LaneRule]

const RATIO = 510_000
/** Shares of 64 challenges won and lost by the contender: any, without ties, or only ties. */
const rates = fc
  .oneof(
    fc.tuple(fc.nat(32), fc.nat(32)),
    fc.integer({ min: 30, max: 44 }).map((wins) => [wins, 64 - wins] as const),
    fc.constant([0, 0] as const),
  )
  .map(([wins, losses]) => [wins / 64, losses / 64] as const)
const validators = ['v1', 'v2', 'v3', 'v4', 'v5']
/** Duels of validators with different stakes, some of which can be outliers. */
const scenes = fc
  .record({
    epochs: fc.integer({ min: 1, max: 5 }),
    rates: fc.array(rates, { minLength: 5, maxLength: 5 }),
    shared: rates,
    alike: fc.boolean(),
    stakes: fc.array(fc.bigInt({ min: 1n, max: 1000n }), { minLength: 5, maxLength: 5 }),
  })
  .map(({ epochs, rates, shared, alike, stakes }): readonly Scene[] => {
    const scene: Scene = {
      validators,
      stakes: Object.fromEntries(validators.map((name, i) => [name, stakes[i] ?? 1n])),
      rates: (validator) => (alike ? shared : (rates[validators.indexOf(validator)] ?? shared)),
    }
    return Array.from({ length: epochs }, () => scene)
  })

const VERDICTS: Readonly<Record<VerdictCause, Verdict | undefined>> = {
  SCORE: 'win',
  LINE: 'hold',
  BLANK: 'even',
  SCARCE: 'even',
  FEW: undefined,
  BEHIND: undefined,
  CLOSE: undefined,
}

const isWithin = ({ wins, trials, bounds }: Decider): boolean => {
  if (bounds === undefined) return trials === 0
  const ppm = (1e6 * wins) / trials
  return bounds.lower <= Math.ceil(ppm) && ppm - 1 <= bounds.upper
}

/** Checks that the facts agree with each other and with the verdict. Returns the cause. */
function expectHonest([facts, rule]: Analysis): string {
  const { cause, given, win, hold, score, bar, minTrials } = facts
  expect(cause).toBeDefined()
  expect(given).toBe(VERDICTS[cause ?? 'FEW'])
  expect([isWithin(win), isWithin(hold)], JSON.stringify(facts)).toEqual([true, true])
  const isEnough = win.trials >= minTrials * 1e6
  expect(isEnough && score >= bar).toBe(given === 'win')
  if (isEnough) expect((win.bounds?.lower ?? 0) >= RATIO).toBe(given === 'win')
  if (cause === 'BEHIND') expect(score).toBeLessThanOrEqual(0)
  if (cause === 'CLOSE') expect(score).toBeGreaterThanOrEqual(0)
  if (cause === 'FEW') expect(isEnough).toBe(false)
  const above = (hold.trials * (RATIO + rule.holdSlopePpm)) / 1e6
  const line = above - (rule.holdOffset * RATIO * (1e6 - RATIO)) / 1e6
  if (line < 0) expect(hold.most).toBeLessThan(0)
  else expect(Math.abs(hold.most - line)).toBeLessThan(2)
  expect(given === 'win' || hold.wins > hold.most).toBe(given !== 'hold')
  return cause ?? ''
}

it('gives an analysis a cause, and intervals around its shares of wins; with enough trials, the lower bound for a win reaches the ratio exactly if it is a win', () => {
  const found = new Set<string>()
  fc.assert(
    fc.property(scenes, fc.constantFrom(MAIN, OTHER), (duel, protocol) => {
      for (const analysis of analysesOf(duel, protocol)) found.add(expectHonest(analysis))
    }),
    { numRuns: 120, seed: 7 },
  )
  const causes = Object.keys(VERDICTS).filter((cause) => cause !== 'SCARCE')
  expect([...found].sort()).toEqual(causes.sort())
})
