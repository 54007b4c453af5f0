import { PROTOCOL } from '@affine/duel'
import { intervalOf } from '@affine/wilson'
import { describe, expect, it } from 'vitest'
import { MULT8, miner, type Scene, withQuota } from '../../../packages/duel/test/subnet.ts'
import { duelsIn, lastLooks } from '../src/app-state.ts'
import { played } from './epochs.ts'

const hotkeys = (count: number, mark: string): readonly string[] =>
  Array.from({ length: count }, (_, i) => `5${mark}${i}`.padEnd(48, 'x'))

describe('at 64 validators, eight duels and eight epochs', () => {
  // No rate is a verdict.
  const protocol = { ...PROTOCOL, cap: 1_000_000, holdOffset: 10_000_000, evenPpm: 1 }
  const scene: Scene = {
    validators: hotkeys(64, 'v'),
    miners: hotkeys(9, 'm').map((hotkey, i) => miner(hotkey, i)),
    rates: [0.255, 0.245],
    protocol: withQuota(protocol, 400),
  }
  const { accounts, epochs } = played(Array.from({ length: 8 }, () => scene))
  const looks = duelsIn({ epochs }).flatMap(({ duel, looks }) =>
    looks.map(({ epoch, look }) => accounts.lanesAt({ epoch, duel: duel.id, env: look.env })),
  )

  it('the page holds a small part of what it may ask for', () => {
    expect(looks.map(({ length }) => length)).toEqual(Array(8 * 8 * 4).fill(64))
    const [held = 0, all = 0] = [epochs, looks].map((each) => JSON.stringify(each).length)
    expect(held).toBeLessThan(400_000)
    expect(all).toBeGreaterThan(10 * held)
  })
})

describe('the lanes of a look', () => {
  const rates: Scene['rates'] = (validator, env, contender) => {
    const isLie = validator === 'v4' && env === MULT8 && contender === 'm3'
    return isLie ? [0, 1] : [0.3, 0.25]
  }
  const scene = { miners: [1, 2, 3].map((i) => miner(`m${i}`, i)), rates }
  const { accounts, epochs } = played([scene, scene])

  it('are those of its duel, environment and epoch', () => {
    const [m2, m3] = duelsIn({ epochs })
    const lanesOf = (duel: typeof m2, env: string) =>
      lastLooks(duel as NonNullable<typeof m2>)
        .filter(({ look }) => look.env === env)
        .flatMap(({ epoch }) => accounts.lanesAt({ epoch, duel: duel?.duel.id ?? '', env }))
    expect([m2, m3].map((each) => each?.duel.id)).toEqual(['12/m2', '12/m3'])
    const asideIn = (duel: typeof m2) => lanesOf(duel, MULT8).map(({ isSetAside }) => isSetAside)
    expect(asideIn(m2)).toEqual([false, false, false, false])
    expect(asideIn(m3)).toEqual([false, false, false, true])
    const [first] = lanesOf(m2, MULT8)
    expect(first).toMatchObject({ validator: 'v1', wins: 29, losses: 24, played: 96 })
  })

  it('add up to its counts, and what is kept of them to what decides', () => {
    for (const { duel, looks } of duelsIn({ epochs }))
      for (const { epoch, look } of looks) {
        const lanes = accounts.lanesAt({ epoch, duel: duel.id, env: look.env })
        const sum = (of: (lane: (typeof lanes)[number]) => number): number =>
          lanes.filter(({ isSetAside }) => !isSetAside).reduce((so, lane) => so + of(lane), 0)
        expect(sum(({ wins }) => wins)).toBe(look.wins)
        expect(sum(({ losses }) => losses)).toBe(look.losses)
        const kept = (of: (lane: (typeof lanes)[number]) => number): number =>
          sum((lane) => (lane.wins * lane.weight * of(lane)) / 1e6)
        // A part is rounded to a millionth.
        expect(kept(({ keptForWin }) => keptForWin) / look.win.wins).toBeCloseTo(1, 4)
        expect(kept(({ keptForHold }) => keptForHold) / look.hold.wins).toBeCloseTo(1, 4)
      }
  })

  it('have no interval beside counts that it does not follow from, nor has what decides a hold', () => {
    const z = Math.sqrt(PROTOCOL.zSquaredPpm / 1e6)
    for (const { duel, looks } of duelsIn({ epochs }))
      for (const { epoch, look } of looks) {
        const lanes = accounts.lanesAt({ epoch, duel: duel.id, env: look.env })
        const { wins, trials, bounds } = look.hold
        const rows = [
          { wins: wins / 1e6, trials: trials / 1e6, bounds },
          ...lanes.map((lane) => ({ ...lane, trials: lane.wins + lane.losses })),
        ]
        for (const { bounds, ...counts } of rows) {
          const { lower, upper } = intervalOf({ ...counts, z })
          expect(bounds?.lower).toBeCloseTo(lower * 1e6, -1)
          expect(bounds?.upper).toBeCloseTo(upper * 1e6, -1)
        }
      }
  })

  it('are none where nobody looked, as nothing was lost where nobody played', () => {
    expect(accounts.lanesAt({ epoch: 11, duel: '12/m2', env: MULT8 })).toEqual([])
    expect(accounts.lanesAt({ epoch: 12, duel: '12/m2', env: 'no' })).toEqual([])
    expect(accounts.lossesOf('11/m2')).toEqual({ champion: [], contender: [] })
  })
})
