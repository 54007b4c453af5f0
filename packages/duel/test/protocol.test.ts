import { expect, test } from 'vitest'
import { computeQuota, LOCAL, PROTOCOL } from '../src/index.ts'

test('a local network differs only in its clock, its quotas, its cap and the line of a hold', () => {
  expect(LOCAL).toEqual({
    ...PROTOCOL,
    envs: {
      ...PROTOCOL.envs,
      'hex@0.1.0': { ...PROTOCOL.envs['hex@0.1.0'], quotaFirst: 4, quotaMost: 24 },
      'pack@0.1.0': { ...PROTOCOL.envs['pack@0.1.0'], quotaFirst: 16, quotaMost: 128 },
    },
    epochBlocks: 30,
    sealBlock: 20,
    cap: 500,
    holdOffset: 20,
    holdSlopePpm: 60_000,
  })
})

test('a quota doubles up to its maximum', () => {
  const constants = { quotaFirst: 32, quotaMost: 512 }
  const quotas = Array.from({ length: 8 }, (_, i) => computeQuota(i + 1, constants))
  expect(quotas).toEqual([32, 64, 128, 256, 512, 512, 512, 512])
  expect(computeQuota(10_000, constants)).toBe(512)
})
