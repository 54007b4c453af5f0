import { describe, expect, test } from 'vitest'
import vectors from '../../../vectors/wilson/calibrate.json' with { type: 'json' }
import { calibrate } from '../src/index.ts'
import { largest } from './largest.ts'

describe('calibrate and crossing agree with the vector', () => {
  test.each(vectors.vectors)(
    'cap $input.cap: $what',
    ({ input: { alpha, cap, minTrials, zSquaredPpm }, want }) => {
      if (alpha !== undefined) return expect(calibrate({ alpha, cap, minTrials })).toBe(want)
      const { probability } = largest({ cap, minTrials, zSquaredPpm: BigInt(zSquaredPpm) })
      expect(probability).toBeCloseTo(want, 5)
    },
  )
})
