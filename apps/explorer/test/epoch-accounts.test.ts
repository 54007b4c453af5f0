import { PROTOCOL } from '@affine/duel'
import { describe, expect, it } from 'vitest'
import { MULT8, miner, type Scene, withQuota } from '../../../packages/duel/test/subnet.ts'
import { listDuels } from '../src/app-state.ts'
import { played } from './epochs.ts'

const hotkeys = (count: number, mark: string): readonly string[] =>
  Array.from({ length: count }, (_, i) => `5${mark}${i}`.padEnd(48, 'x'))

describe('the page, with 64 validators, eight duels and eight epochs', () => {
  // With these constants, no rate gives a verdict.
  const protocol = { ...PROTOCOL, cap: 1_000_000, holdOffset: 10_000_000, evenPpm: 1 }
  const scene: Scene = {
    validators: hotkeys(64, 'v'),
    miners: hotkeys(9, 'm').map((hotkey, i) => miner(hotkey, i)),
    rates: [0.255, 0.245],
    protocol: withQuota(protocol, 400),
  }
  const { accounts, epochs } = played(Array.from({ length: 8 }, () => scene))

  it('stores less than 400 kB', () => {
    const lanes = listDuels({ epochs }).flatMap(
      ({ duel }) => accounts.findDetails(duel.id).analyses,
    )
    const sizes = lanes.map(({ report }) => Object.keys(report.tallies).length)
    expect(sizes).toEqual(Array(8 * 4).fill(64))
    expect(JSON.stringify(epochs).length).toBeLessThan(400_000)
  })
})

it('finds the tallies and suspects in an environment of a duel', () => {
  const rates: Scene['rates'] = (validator, env, contender) => {
    const isLie = validator === 'v4' && env === MULT8 && contender === 'm3'
    return isLie ? [0, 1] : [0.3, 0.25]
  }
  const scene = { miners: [1, 2, 3].map((i) => miner(`m${i}`, i)), rates }
  const { accounts } = played([scene, scene])
  const [honest, lied] = ['12/m2', '12/m3'].map((duel) =>
    accounts.findDetails(duel).analyses.find(({ env }) => env === MULT8),
  )
  expect([honest?.report.setAside, lied?.report.setAside]).toEqual([[], ['v4']])
  expect(honest?.report.tallies.v1).toMatchObject({ wins: 29, losses: 24 })
  expect(accounts.findDetails('11/m2')).toEqual({ champion: [], contender: [], analyses: [] })
})
