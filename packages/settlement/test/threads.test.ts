import type { BlockRequest } from '@affine/blocks'
import { expect, test } from 'vitest'
import { openThreads } from '../src/node/threads.ts'

const HASH = 'ab'.repeat(32)
const WANTED: BlockRequest = {
  hash: HASH,
  scope: {
    ...{ genesis: HASH, netuid: 1, validator: 'v', epoch: 1, beacon: HASH, commitment: HASH },
    ...{ champion: 'c', quotas: {}, specHashes: {} },
  },
  secret: HASH,
  due: 0,
}

// test/verify-jobs.test.ts tests the threads themselves, which need a build.
test('threads leave small blocks and the spared bytes to the thread that opened them', async () => {
  await using threads = openThreads(3, 2 ** 17)
  expect(threads.lanesAtOnce).toBe(7)
  for (const bytes of [2 ** 16, 2 ** 17, 2 ** 16 - 1])
    expect(await threads.check(new Uint8Array(bytes), WANTED)).toMatchObject({ ok: false })
})
