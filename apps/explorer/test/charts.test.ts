import type { EnvFacts } from '@affine/report'
import { expect, test } from 'vitest'
import { rowOf } from '../src/views/duel-view.tsx'

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
