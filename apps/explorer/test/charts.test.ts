import type { EnvFacts } from '@affine/report'
import { describe, expect, it, test } from 'vitest'
import { labelsFor } from '../src/charts/trust-chart.tsx'
import { rowOf } from '../src/views/duel-picture.tsx'

describe('the labels of lines', () => {
  const labelsOf = (...trusts: readonly number[]) => {
    const lines = trusts.map((trust, i) => ({ hotkey: `5${i}`, trust, colour: 0 }))
    const labels = labelsFor(lines, (share) => 200 - 200 * share)
    return labels.map(({ group, y }) => [group.map(({ hotkey }) => hotkey).join(' '), y])
  }

  it('join those alone that end at the same value, below those that end near', () => {
    expect(labelsOf(500_000, 860_000, 860_000, 910_000)).toEqual([
      ['53', 46],
      ['51 52', 60],
      ['50', 118],
    ])
  })

  it('cover no other', () => {
    expect(labelsOf(800_000, 925_000, 930_000, 950_000)).toEqual([
      ['53', 33],
      ['52', 47],
      ['51', 61],
      ['50', 75],
    ])
  })
})

test.each([
  ['win', 'win'],
  ['hold', 'hold'],
  ['even', 'open'],
  [undefined, 'open'],
] as const)('an environment with the verdict %s is drawn as %s', (given, kind) => {
  const decider = { wins: 3, trials: 4, bounds: undefined }
  const facts = { env: 'a@1', win: decider, hold: decider }
  expect(rowOf(facts as never as EnvFacts, given)).toMatchObject({ name: 'a', kind, rate: 0.75 })
})
