import { expect, test } from 'vitest'
import { statePath } from '../../packages/blocks/src/index.ts'
import { encodeState } from '../../packages/duel/src/index.ts'
import { attestedState, type OpenBucket, sealBlock } from '../../packages/settlement/src/index.ts'
import { accountOf, flawsOf, hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

const HEAD = 'ab'.repeat(32)

test('strangers are not read: their buckets, whatever they announce, cost neither a read nor a flaw', async () => {
  const subnet = new ReadingSubnet([10, 10, 10], 4)
  const state = await subnet.begin()
  for (const stranger of subnet.strangers) {
    subnet.buckets.at(stranger.hotkey).behaviour = 'fails'
    await subnet.seal(stranger, state, HEAD)
  }
  // Without a permit an attestation is a stranger's as well, whatever its root.
  const [rubbish = accountOf(0)] = subnet.strangers
  const bytes = new TextEncoder().encode('rubbish')
  subnet.buckets.at('rubbish').behaviour = 'serves'
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

test('a lane that nobody attests is not asked for to decide, silent buckets or none', async () => {
  const subnet = new ReadingSubnet([100, 100, 100, 1])
  const [liar = accountOf(0), ...rest] = [...subnet.voters].reverse()
  const state = await subnet.begin()
  await subnet.seal(liar, state, HEAD)
  await subnet.sealAll(state, rest)
  for (const voter of rest) await subnet.attest(voter, state, hotkeys(rest))
  await subnet.end(state)
  subnet.buckets.at(liar.hotkey).behaviour = 'fails'
  const epochs = await subnet.recompute({ compare: false })
  expect(flawsOf(epochs)).toEqual([])
  expect(epochs.at(-1)?.report.frozen).toBe(false)
  expect(subnet.buckets.readsOf(liar.hotkey)).toEqual([])
  expect(subnet.buckets.reads.filter(([, path]) => path.includes(HEAD))).toEqual([])
  // Whoever compares says whose lane it is that nobody has.
  expect(flawsOf(await subnet.recompute())).toEqual([`MISSING_BLOCK ${liar.hotkey}`])
})

test('to decide, a block is read from attesters in turn, then from its validator, then from others', async () => {
  const subnet = new ReadingSubnet([10, 20, 30, 40, 50])
  const state = await subnet.begin()
  const [own = '', light = '', third = '', second = '', first = ''] = hotkeys(subnet.voters)
  const [sealer = accountOf(0), holder = accountOf(0)] = subnet.voters
  const block = await subnet.lane(sealer, state)
  subnet.put(block, [holder.hotkey])
  await subnet.seal(sealer, state, block.hash)
  await subnet.produceTo(sealBlock(2, network.protocol))
  for (const voter of subnet.voters)
    await subnet.attest(voter, state, [third, first].includes(voter.hotkey) ? [own] : [])
  await subnet.end(state)
  await subnet.recompute({ compare: false })
  expect(subnet.buckets.reads.map(([url]) => url)).toEqual([first, third, own, second, light])
})

test('a bucket that failed once is asked last, and where copies are compared no third time', async () => {
  const subnet = new ReadingSubnet([10, 10, 10, 10, 10, 10, 10])
  const state = await subnet.begin()
  await subnet.sealAll(state)
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  await subnet.end(state)
  const silent = hotkeys(subnet.voters).slice(0, 3)
  for (const url of silent) subnet.buckets.at(url).behaviour = 'fails'
  await subnet.recompute({ compare: false })
  for (const url of silent) expect(subnet.buckets.readsOf(url)).toHaveLength(1)
  const flaws = flawsOf(await subnet.recompute({ from: state }))
  // Once for a state, once for a block: a state that cannot be had says nothing of blocks.
  for (const url of silent) expect(subnet.buckets.readsOf(url).length).toBeLessThanOrEqual(2)
  expect(new Set(flaws)).toEqual(new Set(silent.map((hotkey) => `COPY_MISSING ${hotkey}`)))
})

test('an attested state is asked of its attesters in turn, until one serves it', async () => {
  const subnet = new ReadingSubnet([10, 10, 10, 10], 3)
  const state = await subnet.begin()
  await subnet.sealAll(state)
  const path = statePath(state.epoch)
  for (const voter of subnet.voters) {
    await subnet.attest(voter, state, hotkeys(subnet.voters))
    subnet.buckets.at(voter.hotkey).files.set(path, new TextEncoder().encode(encodeState(state)))
  }
  for (const stranger of subnet.strangers) await subnet.seal(stranger, state, HEAD)
  await subnet.end(state)
  const { chain, buckets } = subnet
  // One that never answers keeps nobody waiting for more than two seconds, were it asked first.
  const [slow] = subnet.voters
  const asked: string[] = []
  const openBucket: OpenBucket = (hotkey, url) => {
    asked.push(hotkey)
    const source = buckets.open(hotkey, url)
    const never = () => new Promise<null>(() => {})
    return source && (hotkey === slow?.hotkey ? { ...source, read: never } : source)
  }
  const { clock } = buckets
  const { value, ms } = await clock.pass(attestedState({ chain, network, openBucket, clock }, 3))
  expect(value).toEqual(state)
  expect(ms).toBeLessThanOrEqual(2000)
  for (const hotkey of asked) expect(hotkeys(subnet.voters)).toContain(hotkey)
})
