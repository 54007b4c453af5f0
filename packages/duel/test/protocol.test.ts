import { expect, test } from 'vitest'
import { computeQuota } from '../src/index.ts'

test('a quota doubles up to its maximum', () => {
  const constants = { quotaFirst: 32, quotaMost: 512 }
  const quotas = Array.from({ length: 8 }, (_, i) => computeQuota(i + 1, constants))
  expect(quotas).toEqual([32, 64, 128, 256, 512, 512, 512, 512])
  expect(computeQuota(10_000, constants)).toBe(512)
})
