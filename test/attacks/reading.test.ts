import { expect, test } from 'vitest'
import { readAttested } from '../../packages/settlement/src/index.ts'
import { accountOf, flawsOf, hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

const HEAD = 'ab'.repeat(32)

test('does not read the buckets of strangers', async () => {
  const subnet = new ReadingSubnet([10, 10, 10], 4)
  const state = await subnet.begin()
  for (const stranger of subnet.strangers) {
    subnet.buckets.at(stranger.hotkey).behaviour = 'fails'
    await subnet.seal(stranger, state, HEAD)
  }
  // Without a permit an attester is a stranger too, regardless of the root it attests.
  const [rubbish = accountOf(0)] = subnet.strangers
  const bytes = new TextEncoder().encode('rubbish')
  for (const epoch of [0, 1, 2])
    subnet.buckets.at('rubbish').files.set(`v1/states/${epoch}.json`, bytes)
  await subnet.sealAll(state)
  await subnet.attest(rubbish, { ...state, ratio: 1 }, [], 'rubbish')
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  await subnet.end(state)
  for (const compare of [true, false]) {
    expect(flawsOf(await subnet.recompute({ compare }))).toEqual([])
    const asked = new Set(subnet.buckets.reads.map(([url]) => url))
    expect([...asked].sort()).toEqual([...hotkeys(subnet.voters)].sort())
  }
})

test('reads a bucket that failed once last, and for copies once', async () => {
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
