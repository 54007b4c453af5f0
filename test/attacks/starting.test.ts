import { expect, test } from 'vitest'
import { firstState } from '../../packages/duel/src/index.ts'
import { hotkeys, network, ReadingSubnet } from './reading-subnet.ts'
import { startOf } from './start-of.ts'

test('starts in a network’s second epoch with the first state, which no one serves', async () => {
  const subnet = new ReadingSubnet([10, 10, 10])
  await subnet.begin()
  const first = firstState(network.protocol, 0)
  expect(await startOf(subnet, 1)).toEqual(first)
  expect(subnet.buckets.reads).toEqual([])
})

test('detects a flipped bit in a stored state by the bucket’s copy or by attestations', async () => {
  const subnet = new ReadingSubnet([10, 10, 10])
  const state = await subnet.begin()
  await subnet.sealAll(state)
  const flipped = { ...state, ratio: state.ratio ^ 1 }
  // No one has attested the state before the end of its epoch.
  expect(await startOf(subnet, 2, { stored: state, copy: state })).toEqual(state)
  expect(await startOf(subnet, 2, { stored: state })).toEqual(state)
  const wrong = { code: 'ALTERED_FILE', message: expect.stringContaining('v1/states/2.json') }
  await expect(startOf(subnet, 2, { stored: flipped, copy: state })).rejects.toMatchObject(wrong)
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  await subnet.end(state)
  await expect(startOf(subnet, 3, { stored: flipped })).rejects.toMatchObject(wrong)
  await expect(startOf(subnet, 3, { stored: flipped, copy: state })).rejects.toMatchObject(wrong)
  expect(await startOf(subnet, 3, { stored: state, copy: flipped })).toEqual(state)
})
