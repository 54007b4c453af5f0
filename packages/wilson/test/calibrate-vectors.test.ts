import { expect, test } from 'vitest'
import vectors from '../../../vectors/wilson/calibrate.json' with { type: 'json' }
import { calibrate } from '../src/index.ts'
import { largest } from './largest.ts'

test.each(vectors.vectors)(
  'calibrate and crossing agree with the vector: cap $input.cap, $what',
  ({ input: { alpha, cap, minTrials, zSquaredPpm }, want }) => {
    if (alpha !== undefined) return expect(calibrate({ alpha, cap, minTrials })).toBe(want)
    const { probability } = largest({ cap, minTrials, zSquaredPpm: BigInt(zSquaredPpm) })
    expect(probability).toBeCloseTo(want, 5)
  },
)
