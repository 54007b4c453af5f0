import { describe, expect, it } from 'vitest'
import { type Duel, decide, firstState, type Verdict } from '../src/index.ts'
import { loneRuleOf, type Protocol, ruleOf } from '../src/protocol.ts'
import { type DuelEpoch, judgeAll, ruleAmong } from '../src/verdicts.ts'
import { constantsOf, epochOf, MAIN, MULT8, scored } from './subnet.ts'

const NAMES = ['a@1.0.0', 'b@1.0.0', 'c@1.0.0', 'd@1.0.0'] as const
const [A, B, C, D] = NAMES
const protocol: Protocol = {
  ...MAIN,
  envs: Object.fromEntries(NAMES.map((name) => [name, constantsOf(MULT8)])),
}
const [RULE, LONE] = [ruleOf(protocol), loneRuleOf(protocol)]
const { duel: opened } = decide(firstState(MAIN, 10), epochOf(firstState(MAIN, 10))).state

/** Four equal voters saw this in A, in one epoch, and nothing decisive in the others. */
function judge(
  verdicts: Record<string, Verdict>,
  [wins, losses, played]: readonly [number, number, number],
  turn: Partial<DuelEpoch> = {},
) {
  const weights = { v1: 1_000_000, v2: 1_000_000, v3: 1_000_000, v4: 1_000_000 }
  const lanes = (wins: number, losses: number) => [
    Object.fromEntries(
      Object.keys(weights).map((hotkey) => [hotkey, scored({ wins, losses, played })]),
    ),
  ]
  const tallies = { [A]: lanes(wins, losses), [B]: lanes(0, 0), [C]: lanes(0, 0), [D]: lanes(0, 0) }
  const duel: Duel = { ...opened!, weights, ratio: 510_000, tallies, verdicts }
  return judgeAll(duel, { epochIndex: 5, frozen: false, protocol, weights, ...turn })
}

const EVEN = { [B]: 'even', [C]: 'even', [D]: 'even' } as const
const FEW = [22, 10, 32] as const // enough among several, too few alone

describe('the environment that is left when all others are even', () => {
  it('is judged by the stricter numbers, and says so', () => {
    const early = judge({}, FEW, { epochIndex: 2 })
    expect(early.envs[A]).toMatchObject({ rule: RULE, given: 'win' })
    expect(judge(EVEN, FEW).envs).toMatchObject({ [A]: { rule: LONE } })
    expect(judge(EVEN, FEW).verdicts).toEqual(EVEN)
    expect(Object.keys(judge(EVEN, FEW).envs)).toEqual([A])
    expect(judge(EVEN, [400, 0, 400]).verdicts).toEqual({ ...EVEN, [A]: 'win' })
  })

  it('is not judged again once it is held', () => {
    const held = { ...EVEN, [A]: 'hold' } as const
    expect(judge(held, FEW)).toEqual({ envs: {}, verdicts: held })
  })

  it('is open again, unseen, where it was won before the others were even', () => {
    const won = judge({ [A]: 'win', [B]: 'even', [C]: 'even' }, FEW)
    expect(won.verdicts).toEqual({ [B]: 'even', [C]: 'even', [D]: 'even' })
    expect(Object.keys(won.envs)).toEqual([D])
  })

  it('gets no verdict in a frozen epoch', () => {
    const { envs, verdicts } = judge(EVEN, [400, 0, 400], { frozen: true })
    expect(verdicts).toEqual(EVEN)
    expect(envs[A]).toMatchObject({ rule: LONE, given: undefined })
  })

  it('has its rule for who shows it; the others have theirs', () => {
    expect(ruleAmong(EVEN, A, protocol)).toEqual(LONE)
    expect(ruleAmong({ [B]: 'even', [C]: 'hold', [D]: 'even' }, A, protocol)).toEqual(RULE)
    expect(ruleAmong(EVEN, B, protocol)).toEqual(RULE)
  })
})

it('is even below one decisive challenge in twenty, not at one, from the fifth epoch on', () => {
  expect(judge({}, [1, 0, 20]).envs[A]?.given).toBeUndefined()
  expect(judge({}, [1, 0, 21]).envs[A]?.given).toBe('even')
  expect(judge({}, [1, 0, 21], { epochIndex: 4 }).envs[A]?.given).toBeUndefined()
})
