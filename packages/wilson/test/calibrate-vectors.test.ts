import { expect, test } from 'vitest'
import vectors from '../../../vectors/wilson/calibrate.json' with { type: 'json' }
import { calibrate } from '../src/index.ts'

// readme.test.ts computes the z and probabilities for a cap of 5000.
const others = vectors.vectors.filter(({ input }) => input.cap !== 5000)
test.each(others)('calibrates for a cap of $input.cap, $what', ({ input, want }) => {
  const { alpha = 0, cap, minTrials } = input
  expect(calibrate({ alpha, cap, minTrials })).toBe(want)
})
