import { decide, type LaneRule, type State } from '@affine/duel'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENVS, epochOf, MAIN, OTHER, type Scene, startedDuels } from '../../duel/test/subnet.ts'
import { type EnvFacts, envFacts, envText } from '../src/index.ts'

const STEP = 1e-6

/** The looks of a duel's epochs, in which lanes have these rates, and the state after them. */
function duelOf(scenes: readonly Scene[], protocol = MAIN) {
  let state: State = startedDuels({ ...scenes[0], protocol })
  const looks: Look[] = []
  for (const scene of scenes) {
    const { voters: weights } = state
    const settled = decide(state, epochOf(state, { ...scene, protocol }))
    const envs = settled.report.duels.flatMap((duel) => Object.entries(duel.envs))
    for (const [env, report] of envs)
      looks.push([envFacts({ env, report, weights, ratioPpm: RATIO }), report.rule])
    if (settled.state.duels.length === 0) break
    state = settled.state
  }
  return { looks, state }
}

type Look = readonly [facts: EnvFacts, rule: LaneRule]

const RATIO = 510_000
/** Shares of 64 challenges that the contender wins and loses: any, without a tie, or ties alone. */
const rates = fc
  .oneof(
    fc.tuple(fc.nat(32), fc.nat(32)),
    fc.integer({ min: 30, max: 44 }).map((wins) => [wins, 64 - wins] as const),
    fc.constant([0, 0] as const),
  )
  .map(([wins, losses]) => [wins / 64, losses / 64] as const)
const validators = ['v1', 'v2', 'v3', 'v4', 'v5']
/** Some of a subnet is far from the others, now and then; stakes differ. */
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

const NUMBER = String.raw`(-?\d+(?:\.\d{1,6})?)`
const COUNTS = /^ {2}\S+ +(\d+) won, (\d+) lost, (\d+) tied → (.*)$/
const INTERVAL = String.raw`\[[ ━┃]{30}\] ${NUMBER}…${NUMBER}`
const KEPT = `${NUMBER} of ${NUMBER} won`
const FOR_A_WIN = new RegExp(`^    for a win: ${KEPT} ${INTERVAL}, score ${NUMBER} of ${NUMBER}$`)
const FOR_A_HOLD = new RegExp(`^    for a hold: ${KEPT}, and up to ${NUMBER} are a hold$`)
const TOO_FEW = new RegExp(`^    for a win: ${KEPT}, too few of 10$`)
const EVEN = new RegExp(
  `^    for even: in the median lane ${NUMBER} % of challenges tell the two apart$`,
)
const read = (pattern: RegExp, text: string): readonly number[] | undefined =>
  pattern.exec(text)?.slice(1).map(Number)

const linesOf = ([facts]: Look): readonly string[] => envText(facts, 'go on').split('\n')

/** What is shown of a look follows from what is shown, and is what decided: its verdict. */
function expectHonest(look: Look): string {
  const [counted = '', basis = ''] = linesOf(look)
  const verdict = COUNTS.exec(counted)?.[4] ?? ''
  const win = read(FOR_A_WIN, basis)
  const hold = read(FOR_A_HOLD, basis)
  if (win) {
    const [, , lower = 0, upper = 0, score = 0, bar = 0] = win
    expect([score >= bar, lower >= RATIO / 1e6]).toEqual(Array(2).fill(verdict === 'win'))
    expect(upper).toBeGreaterThanOrEqual(lower)
    expect(['win', 'go on']).toContain(verdict)
  } else if (hold) {
    const [wins = 0, trials = 0, most = Number.NaN] = hold
    const { holdOffset, holdSlopePpm } = look[1]
    const line = trials * (RATIO + holdSlopePpm) - holdOffset * (RATIO / 1e6) * (1e6 - RATIO)
    expect(Math.abs(most - line / 1e6)).toBeLessThan(2 * STEP)
    expect(wins).toBeLessThanOrEqual(most)
    expect(verdict).toBe('hold')
  } else {
    expect(basis).toMatch(verdict === 'even' ? EVEN : TOO_FEW)
    expect(['even', 'go on']).toContain(verdict)
  }
  return verdict
}

describe('a look at an environment', () => {
  it('has an interval of the counts beside it, or of the score, which reaches the ratio where it wins', () => {
    const said = new Set<string>()
    fc.assert(
      fc.property(scenes, fc.constantFrom(MAIN, OTHER), (duel, protocol) => {
        for (const look of duelOf(duel, protocol).looks) said.add(expectHonest(look))
      }),
      { numRuns: 1200, seed: 7 },
    )
    expect([...said].sort()).toEqual(['even', 'go on', 'hold', 'win'])
  })

  it('is held against the stricter bar where the others are even', () => {
    const [mult8 = '', tictactoe = ''] = ENVS
    const rates = (_: string, env: string): readonly [number, number] =>
      env === mult8 ? [0.3, 0.25] : [1 / 64, 1 / 64]
    const { looks, state } = duelOf(Array.from({ length: 5 }, () => ({ rates })))
    expect(state.duels[0]?.verdicts).toEqual({ [tictactoe]: 'even' })
    const last = looks.filter(([{ env }]) => env === mult8).at(-1)
    expect(last && linesOf(last)[1]).toMatch(/ of 3\.5$/)
    expect(last && expectHonest(last)).toBe('go on')
  })
})
