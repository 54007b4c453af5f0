import { describe, expect, it } from 'vitest'
import type { Duel, LaneTally, Verdict } from '../src/index.ts'
import { makeSoleRule, type Protocol } from '../src/protocol.ts'
import { chooseRule, judgeOpen } from '../src/verdicts.ts'
import { constantsOf, MAIN, MULT8, miner } from './subnet.ts'

const NAMES = ['a@1.0.0', 'b@1.0.0', 'c@1.0.0', 'd@1.0.0'] as const
const [A, B, C, D] = NAMES
const protocol: Protocol = {
  ...MAIN,
  envs: Object.fromEntries(NAMES.map((name) => [name, constantsOf(MULT8)])),
}
const [RULE, ALONE] = [protocol, makeSoleRule(protocol)]
/**
 * Judges a duel in epoch `epochIndex` by the tallies of its first epoch: four equal voters have
 * this tally in A, and no decisive challenges elsewhere.
 */
function judge(
  verdicts: Record<string, Verdict>,
  [wins, losses, played]: readonly [number, number, number],
  epochIndex = 5,
) {
  const voters = { v1: 1_000_000, v2: 1_000_000, v3: 1_000_000, v4: 1_000_000 }
  const constants = { ...constantsOf(MULT8), quotaFirst: played }
  const envs = Object.fromEntries(NAMES.map((name) => [name, constants]))
  const lanes = (...tally: LaneTally) =>
    Object.fromEntries(Object.keys(voters).map((hotkey) => [hotkey, tally]))
  const none = lanes(0, 0, 0, 0)
  const tallies = [{ [A]: lanes(wins, losses, 0, 0), [B]: none, [C]: none, [D]: none }]
  const duel: Duel = { contender: miner('m2'), start: 1, tallies, verdicts }
  const state = { epoch: epochIndex, ratio: 510_000, voters, protocol: { ...protocol, envs } }
  return judgeOpen(duel, state)
}

const EVEN = { [B]: 'even', [C]: 'even', [D]: 'even' } as const
const FEW = [22, 10, 32] as const // a win by the usual rule, but not by the stricter rule

describe('the sole deciding environment', () => {
  it('is judged by the stricter rule, and reported with that rule', () => {
    const early = judge({}, FEW, 2)
    const barOf = ({ envs }: typeof early) => envs[A]?.rule.floorZSquaredPpm
    expect([early.envs[A]?.given, barOf(early)]).toEqual(['win', RULE.floorZSquaredPpm])
    expect(barOf(judge(EVEN, FEW))).toBe(ALONE.floorZSquaredPpm)
    expect(judge(EVEN, FEW).verdicts).toEqual(EVEN)
    expect(Object.keys(judge(EVEN, FEW).envs)).toEqual([A])
    expect(judge(EVEN, [400, 0, 400]).verdicts).toEqual({ ...EVEN, [A]: 'win' })
  })

  it('is not judged again once its verdict is `hold`', () => {
    const held = { ...EVEN, [A]: 'hold' } as const
    expect(judge(held, FEW)).toEqual({ envs: {}, verdicts: held })
  })

  it('has the stricter rule; other environments have the usual rule', () => {
    expect(chooseRule(EVEN, A, protocol)).toEqual(ALONE)
    expect(chooseRule({ [B]: 'even', [C]: 'hold', [D]: 'even' }, A, protocol)).toEqual(RULE)
    expect(chooseRule(EVEN, B, protocol)).toEqual(RULE)
  })
})

it('gives an undecided verdict after 96 challenges, none of them decisive, before `evenEpoch`', () => {
  expect(judge({}, [0, 0, 95], 2).envs[A]?.given).toBeUndefined()
  expect(judge({}, [0, 0, 96], 2).envs[A]).toMatchObject({ given: 'even', cause: 'BLANK' })
  expect(judge({}, [1, 0, 96], 2).envs[A]?.given).toBeUndefined()
})

it.each([
  ['SCORE', [22, 10, 32], 'win'],
  ['LINE', [100, 120, 240], 'hold'],
  ['FEW', [2, 0, 20], undefined],
  ['BEHIND', [15, 17, 32], undefined],
  ['CLOSE', [20, 15, 40], undefined],
] as const)('reports the cause of a verdict, or what a win lacks: %s', (cause, tally, given) => {
  expect(judge({}, tally, 2).envs[A]).toMatchObject({ given, cause })
})
