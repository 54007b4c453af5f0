import { PROTOCOL } from '@affine/duel'
import { describe, expect, it } from 'vitest'
import { MULT8, miner, type Scene, withQuota } from '../../../packages/duel/test/subnet.ts'
import { latestAnalyses, listDuels } from '../src/app-state.ts'
import { played } from './epochs.ts'

const hotkeys = (count: number, mark: string): readonly string[] =>
  Array.from({ length: count }, (_, i) => `5${mark}${i}`.padEnd(48, 'x'))

describe('at 64 validators, eight duels and eight epochs', () => {
  // No rate gives a verdict.
  const protocol = { ...PROTOCOL, cap: 1_000_000, holdOffset: 10_000_000, evenPpm: 1 }
  const scene: Scene = {
    validators: hotkeys(64, 'v'),
    miners: hotkeys(9, 'm').map((hotkey, i) => miner(hotkey, i)),
    rates: [0.255, 0.245],
    protocol: withQuota(protocol, 400),
  }
  const { accounts, epochs } = played(Array.from({ length: 8 }, () => scene))

  it('holds less than 400 kB in the page', () => {
    const lanes = listDuels({ epochs }).flatMap(({ duel }) => accounts.findLanes(duel.id))
    expect(lanes.map(({ lanes }) => lanes.length)).toEqual(Array(8 * 4).fill(64))
    expect(JSON.stringify(epochs).length).toBeLessThan(400_000)
  })
})

describe('the lanes of a duel', () => {
  const rates: Scene['rates'] = (validator, env, contender) => {
    const isLie = validator === 'v4' && env === MULT8 && contender === 'm3'
    return isLie ? [0, 1] : [0.3, 0.25]
  }
  const scene = { miners: [1, 2, 3].map((i) => miner(`m${i}`, i)), rates }
  const { accounts, epochs } = played([scene, scene])

  const seen = listDuels({ epochs }).flatMap((account) =>
    latestAnalyses(account).map(({ analysis }) => {
      const found = accounts.findLanes(account.duel.id).find(({ env }) => env === analysis.env)
      return { analysis, id: account.duel.id, lanes: found?.lanes ?? [], ratio: found?.ratio }
    }),
  )

  it('come from the latest analysis of each environment', () => {
    const lanesOf = (duel: string) =>
      seen.find(({ id, analysis }) => id === duel && analysis.env === MULT8)?.lanes ?? []
    const asideIn = (duel: string) => lanesOf(duel).map(({ isSetAside }) => isSetAside)
    expect(asideIn('12/m2')).toEqual([false, false, false, false])
    expect(asideIn('12/m3')).toEqual([false, false, false, true])
    const [first] = lanesOf('12/m2')
    expect(first).toMatchObject({ validator: 'v1', wins: 29, losses: 24 })
    for (const { analysis, ratio } of seen) expect(ratio).toBe(analysis.ratioPpm)
  })

  it('sum up to its counts', () => {
    for (const { analysis, lanes } of seen) {
      const sum = (of: (lane: (typeof lanes)[number]) => number): number =>
        lanes.filter(({ isSetAside }) => !isSetAside).reduce((so, lane) => so + of(lane), 0)
      expect(sum(({ wins }) => wins)).toBe(analysis.wins)
      expect(sum(({ losses }) => losses)).toBe(analysis.losses)
    }
  })

  it('are empty for an unknown duel, like its losses', () => {
    expect(accounts.findLanes('11/m2')).toEqual([])
    expect(accounts.findLosses('11/m2')).toEqual({ champion: [], contender: [] })
  })
})
