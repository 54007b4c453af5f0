import { expect, test } from 'vitest'
import vectors from '../../../vectors/wilson/walk.json' with { type: 'json' }
import { crossing, type Walk, walk } from '../src/index.ts'
import { near, revive } from './vectors.ts'

test.each(vectors.vectors)(
  'computes the walk with p $input.p, R $input.ratioPpm, cap $input.rule.cap',
  (vector) => {
    const { input, want } = vector
    const { p, ratioPpm, rule } = revive<Walk>(input)
    expect(walk({ p, ratioPpm, rule })).toMatchObject({
      win: near(want.win),
      hold: near(want.hold),
      expectedTrials: near(want.expectedTrials),
      medianTrials: want.medianTrials,
      trials95: want.trials95,
    })
    expect(crossing({ p, ratioPpm, rule })).toEqual(near(want.crossing))
  },
)
