import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { directoryBucket } from '../../packages/blocks/src/directory-bucket.ts'
import { type Bucket, statePath } from '../../packages/blocks/src/index.ts'
import { encodeState, firstState, type State } from '../../packages/duel/src/index.ts'
import type { Setup } from '../../packages/engine/src/setup.ts'
import { startingState } from '../../packages/engine/src/validator.ts'
import { testFolder } from '../test-folder.ts'
import { hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

const root = testFolder('starting')

/** Where a validator of `subnet` starts in `epoch`, with what it kept and what its bucket has. */
async function startOf(
  subnet: ReadingSubnet,
  epoch: number,
  [kept, copy]: readonly (State | undefined)[],
): Promise<State> {
  const folder = await mkdtemp(join(root, 'folder-'))
  const [store, bucket] = ['store', 'bucket'].map((name) => directoryBucket(join(folder, name)))
  const put = async (place: Bucket | undefined, state: State | undefined) => {
    const bytes = new TextEncoder().encode(state && encodeState(state))
    if (state) await place?.write(statePath(state.epoch), bytes)
  }
  await put(store, kept)
  await put(bucket, copy)
  const { chain, buckets } = subnet
  const openBucket = buckets.open
  const setup = { chain, network, openBucket, folder, store, bucket } as unknown as Setup
  return startingState(setup, epoch)
}

test('who starts in a network’s second epoch begins with its first state, which nobody serves', async () => {
  const subnet = new ReadingSubnet([10, 10, 10])
  await subnet.begin()
  const first = firstState(network.protocol, 0)
  expect(await startOf(subnet, 1, [])).toEqual(first)
  expect(subnet.buckets.reads).toEqual([])
})

test('a kept state with a flipped bit is noticed: by the bucket’s copy, or by what was attested', async () => {
  const subnet = new ReadingSubnet([10, 10, 10])
  const state = await subnet.begin()
  await subnet.sealAll(state)
  const flipped = { ...state, ratio: state.ratio ^ 1 }
  // In the epoch itself nobody has attested it yet.
  expect(await startOf(subnet, 2, [state, state])).toEqual(state)
  expect(await startOf(subnet, 2, [state])).toEqual(state)
  const wrong = 'v1/states/2.json of'
  await expect(startOf(subnet, 2, [flipped, state])).rejects.toThrow(wrong)
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  await subnet.end(state)
  await expect(startOf(subnet, 3, [flipped])).rejects.toThrow(wrong)
  await expect(startOf(subnet, 3, [flipped, state])).rejects.toThrow(wrong)
  expect(await startOf(subnet, 3, [state, flipped])).toEqual(state)
})
