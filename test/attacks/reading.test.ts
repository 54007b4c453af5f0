import { expect, test } from 'vitest'
import { readAttested } from '../../packages/settlement/src/index.ts'
import { flawsOf, hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

test('reads a failed bucket after all other buckets, and to compare blocks at most once', async () => {
  const subnet = new ReadingSubnet([10, 10, 10, 10, 10, 10, 10])
  const state = await subnet.begin()
  await subnet.play(state, {})
  const silent = hotkeys(subnet.voters).slice(0, 3)
  for (const url of silent) subnet.buckets.at(url).behaviour = 'fails'
  await subnet.recompute({ compare: false })
  for (const url of silent) expect(subnet.buckets.readsOf(url)).toHaveLength(1)
  const flaws = flawsOf(await subnet.recompute({ from: state }))
  // Two reads are for states and one is for a block: a missing state proves nothing about blocks.
  for (const url of silent) expect(subnet.buckets.readsOf(url).length).toBeLessThanOrEqual(3)
  const codes = ['COPY_MISSING', 'STATE_MISSING']
  const expected = codes.flatMap((code) => silent.map((hotkey) => `${code} ${hotkey}`))
  expect(new Set(flaws)).toEqual(new Set(expected))
})

test('waits for a state at most two seconds per attester that never answers', async () => {
  const subnet = new ReadingSubnet([10, 10, 10, 10])
  const state = await subnet.begin()
  for (const voter of subnet.voters) await subnet.attest(voter, state, [])
  subnet.publish(state)
  await subnet.end(state)
  const { chain, buckets } = subnet
  const silent = hotkeys(subnet.voters).slice(1)
  const openBucket = buckets.openWith(silent, () => new Promise(() => {}))
  const { clock } = buckets
  const { value, ms } = await clock.pass(readAttested({ chain, network, openBucket, clock }, 3))
  expect(value).toEqual(state)
  expect(ms).toBeGreaterThan(0)
  expect(ms).toBeLessThanOrEqual(3 * 2000)
})
