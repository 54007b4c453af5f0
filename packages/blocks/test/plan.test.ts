import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LaneQuotas, type PlannedSample, planLane, verifyLane } from '../src/index.ts'
import { countTallies } from '../src/plan.ts'
import { CHAMPION, honestSamples, laneOf, plansOf, scopeOf, toy } from './lane.ts'

const [HEX, MULT8, PACK] = ['hex@0.1.0', 'mult8@0.1.0', 'pack@0.1.0'] as const
const TICTACTOE = 'tictactoe@0.1.0'
const [A = '', B = '', C = ''] = ['A', 'D', 'E'].map((letter) => `5${letter.repeat(47)}`)

it.each([
  ['an environment that is not registered', 'no@1.0.0', A],
  ['a miner without a quota', MULT8, B],
])('a sample of %s adds nothing to the tallies', (_, env, other) => {
  const lane = { champion: CHAMPION, quotas: { [A]: { [env]: 1 } } }
  const plan = [CHAMPION, other].map((miner) => ({ env, index: 0, miner }))
  expect(countTallies(lane, plan, [[1], [0]])).toEqual({ [A]: { [env]: [0, 0, 0, 0] } })
})

describe('the plan of a lane', () => {
  it('is ordered by environment; games by contender and index; episodes by index, the champion before contenders', () => {
    const quotas = { [B]: { [MULT8]: 2, [HEX]: 1 }, [A]: { [HEX]: 2, [MULT8]: 1 } }
    expect(planLane({ champion: CHAMPION, quotas })).toEqual([
      { env: HEX, index: 0, champion: CHAMPION, contender: A },
      { env: HEX, index: 1, champion: CHAMPION, contender: A },
      { env: HEX, index: 0, champion: CHAMPION, contender: B },
      { env: MULT8, index: 0, miner: CHAMPION },
      { env: MULT8, index: 0, miner: A },
      { env: MULT8, index: 0, miner: B },
      { env: MULT8, index: 1, miner: CHAMPION },
      { env: MULT8, index: 1, miner: B },
    ])
  })

  it('has each sample of the quotas once, for any order of keys', () => {
    const quota = fc.dictionary(fc.constantFrom(HEX, MULT8, PACK), fc.nat({ max: 9 }))
    const lanes = fc.dictionary(fc.constantFrom(A, B, C), quota)
    fc.assert(
      fc.property(lanes, (quotas) => {
        const plan = planLane({ champion: CHAMPION, quotas })
        const names = plan.map((planned) => JSON.stringify(planned))
        expect(new Set(names).size).toBe(plan.length)
        for (const [contender, envs] of Object.entries(quotas))
          for (const [env, count] of Object.entries(envs))
            expect(plan.filter(isOf(contender, env)).length).toBe(count)
        const turned = Object.fromEntries(Object.entries(quotas).reverse())
        expect(planLane({ champion: CHAMPION, quotas: turned })).toEqual(plan)
      }),
    )
  })
})

const isOf = (contender: string, env: string) => (planned: PlannedSample) => {
  const player = 'miner' in planned ? planned.miner : planned.contender
  return player === contender && planned.env === env
}

it('counts tallies that compare each contender with the champion in the challenges of its quota', () => {
  const lane: LaneQuotas = {
    champion: CHAMPION,
    quotas: { [A]: { [MULT8]: 3, [HEX]: 1 }, [B]: { [MULT8]: 1, [HEX]: 2, [TICTACTOE]: 1 } },
  }
  const [won, lost, unbegun] = [
    [-1, 1],
    [1, -1],
    [-1, -1],
  ] as const
  // By challenge: the rewards of the champion, of A, and of B if it plays.
  const products = [[0], [1], [1], [1], [0], [0], [0]]
  const rewards = [won, lost, unbegun, ...products, [-1], [0]]
  expect(countTallies(lane, planLane(lane), rewards)).toEqual({
    [A]: { [HEX]: [1, 0, 0, 0], [MULT8]: [1, 1, 1_000_000, 1_000_000] },
    [B]: {
      [HEX]: [0, 1, 0, 0],
      [MULT8]: [1, 0, 1_000_000, 0],
      [TICTACTOE]: [1, 0, 500_000, 0],
    },
  })
})

describe('a lane of three contenders with different quotas', () => {
  const quotas = {
    [A]: { [MULT8]: 5, [HEX]: 2 },
    [B]: { [MULT8]: 2 },
    [C]: { [PACK]: 1, [HEX]: 1 },
  }
  const scope = scopeOf(toy.hotkey, {}, quotas)

  it('is valid: the champion plays each one-player challenge once, and games with each contender', async () => {
    const samples = await honestSamples(scope)
    expect(samples.length).toBe(2 + 1 + 5 + 5 + 2 + 2)
    const read = await verifyLane(laneOf(toy, scope, plansOf(samples)))
    if (!read.ok) throw new Error(read.detail)
    const tally = [0, 1, 2, 3].map(() => expect.any(Number))
    expect(read.value.tallies).toEqual({
      [A]: { [HEX]: tally, [MULT8]: tally },
      [B]: { [MULT8]: tally },
      [C]: { [HEX]: tally, [PACK]: tally },
    })
  })

  it('is void if two contenders’ games are exchanged, or have the same challenge id', async () => {
    const [one, two, three, ...rest] = await honestSamples(scope)
    const exchanged = [three!, two!, one!, ...rest]
    const alike = scopeOf(toy.hotkey, {}, { [A]: { [HEX]: 1 }, [B]: { [HEX]: 1 } })
    const [first, second] = await honestSamples(alike)
    const again = [first!, { ...second!, challengeId: first!.challengeId }]
    const wrong = { code: 'WRONG_CHALLENGE' }
    expect(await verifyLane(laneOf(toy, scope, plansOf(exchanged)))).toMatchObject(wrong)
    expect(await verifyLane(laneOf(toy, alike, plansOf(again)))).toMatchObject(wrong)
  })
})
