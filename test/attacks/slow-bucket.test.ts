import { expect, test } from 'vitest'
import { stateRoot } from '../../packages/duel/src/index.ts'
import { type OpenBucket, Patience } from '../../packages/settlement/src/index.ts'
import { OneLiar } from './one-liar.ts'
import { flawsOf, hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

// Protocol §6.4: a slow bucket is as good as a silent one. Each time is one on a fake clock.
const SLOW_MS = 29_000
const SECONDS = 1000

/** An epoch of honest lanes and the liar's, which all attest. */
async function attested(stakes?: readonly number[]): Promise<ReadingSubnet> {
  const subnet = stakes ? new ReadingSubnet(stakes) : new OneLiar()
  const state = subnet instanceof OneLiar ? await subnet.state : await subnet.begin()
  await subnet.sealAll(state)
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  await subnet.end(state)
  return subnet
}

const decide = (subnet: ReadingSubnet, openBucket: OpenBucket = subnet.buckets.open) =>
  subnet.buckets.clock.pass(subnet.recompute({ compare: false, openBucket, lanesAtOnce: 9 }))

// Before, each block was awaited from its lane's validator first: 29 s for each, 1,024 of them in a
// lane. A victim was eight hours, or 281 blocks after its seal block, behind.
test('to decide takes two seconds longer by a slow bucket, which is then asked last', async () => {
  const subnet = await attested()
  const { hotkey } = subnet.voters.at(-1) ?? { hotkey: '' }
  const fast = await decide(subnet)
  expect(fast.ms).toBe(0)
  subnet.buckets.at(hotkey).ms = SLOW_MS
  const slow = await decide(subnet)
  expect(slow.ms).toBeLessThanOrEqual(2 * SECONDS)
  expect(slow.value.map(({ state }) => stateRoot(state))).toEqual(
    fast.value.map(({ state }) => stateRoot(state)),
  )
})

test('so it is by several: each costs a lane two seconds at most', async () => {
  const subnet = await attested([100, 100, 100, 100, 100, 60, 60, 60])
  for (const { hotkey } of subnet.voters.slice(5)) subnet.buckets.at(hotkey).ms = SLOW_MS
  expect((await decide(subnet)).ms).toBeLessThanOrEqual(3 * 2 * SECONDS)
})

// Before, whoever it was slow to came to the state of the next epoch hours after the others: its
// attestation was missing, as was its lane.
test('a bucket that is slow to some and fast to others has them decide alike, and in time', async () => {
  const subnet = await attested()
  const { hotkey } = subnet.voters.at(-1) ?? { hotkey: '' }
  const toOthers = await decide(subnet)
  const { clock, open } = subnet.buckets
  const toVictims: OpenBucket = (name, url) => {
    const source = open(name, url)
    if (source === null || name !== hotkey) return source
    return { ...source, read: (...asked) => clock.sleep(SLOW_MS).then(() => source.read(...asked)) }
  }
  const victims = await decide(subnet, toVictims)
  expect(victims.ms).toBeLessThanOrEqual(2 * SECONDS)
  const rootsOf = ({ value }: typeof victims) => value.map(({ state }) => stateRoot(state))
  expect(rootsOf(victims)).toEqual(rootsOf(toOthers))
})

/** Epochs in which all do as they should, and the same epochs recomputed with all copies. */
async function history(epochs: number): Promise<ReadingSubnet> {
  const protocol = { ...network.protocol, evenEpoch: 50, duelEpochs: 50 }
  const subnet = new ReadingSubnet([100, 100, 100, 100], 0, { ...network, protocol })
  let state = await subnet.begin()
  for (let left = epochs; left > 0; left--) ({ state } = await subnet.play(state, {}))
  return subnet
}

// Before, it was awaited 30 s for a state and 30 s for a block, in every epoch: 43 times as long.
test('a history is read with 90 seconds for a silent bucket, and it is named in each epoch', async () => {
  const epochs = 8
  const subnet = await history(epochs)
  const { clock } = subnet.buckets
  const [silent = ''] = hotkeys(subnet.voters)
  const openBucket: OpenBucket = (hotkey, url) => {
    const source = subnet.buckets.open(hotkey, url)
    if (source === null || hotkey !== silent) return source
    const late = () => clock.sleep(30 * SECONDS).then(() => Promise.reject(new Error('late')))
    return { ...source, read: late }
  }
  const found: unknown[] = []
  for (const lanesAtOnce of [1, 3]) {
    const patience = Patience.ofHistory(clock)
    const recomputing = subnet.recompute({ openBucket, patience, lanesAtOnce })
    const { value, ms } = await clock.pass(recomputing)
    // Once it is not waited for, a read that is under way goes on.
    expect(ms).toBeLessThanOrEqual(200 * SECONDS)
    expect([...patience.waits.keys()]).toEqual([silent])
    const flaws = value.map((each) => [each.epoch, flawsOf([each])] as const)
    expect(flaws.filter(([, found]) => found.length > 0).length).toBeGreaterThanOrEqual(epochs - 1)
    found.push([flaws, value.map(({ state }) => stateRoot(state))])
  }
  expect(found[1]).toEqual(found[0])
})

/** What is found in a history, for each number of lanes that are read at once. */
async function foundByLanes(subnet: ReadingSubnet, openBucket: OpenBucket = subnet.buckets.open) {
  const found: string[] = []
  for (const lanesAtOnce of [1, 2, 3, 4]) {
    const recomputing = subnet.recompute({ openBucket, lanesAtOnce })
    const { value } = await subnet.buckets.clock.pass(recomputing)
    const { reads } = subnet.buckets
    expect(new Set(reads.map(String)).size).toBe(reads.length)
    found.push(JSON.stringify(value.map(({ state, flaws }) => [stateRoot(state), flaws])))
  }
  return found
}

// Before, patience ran out in one epoch with one lane at a time, in the next with four: of ten speeds
// nine gave other flaws. And while a slow copy was compared, the block's own source counted as late,
// and the next was asked for what was there.
test('a bucket that answers slowly is named in the same epochs, however many lanes are read', async () => {
  const subnet = await history(5)
  const [slow = ''] = hotkeys(subnet.voters)
  const named: number[] = []
  for (const seconds of [3, 5, 14, 26]) {
    subnet.buckets.at(slow).ms = seconds * SECONDS
    const [first = '', ...others] = await foundByLanes(subnet)
    for (const other of others) expect(other).toBe(first)
    named.push(first.split('COPY_MISSING').length - 1)
  }
  expect(named).toEqual([0, 2, 5, 5])
})

test('so is one that keeps silent of blocks, and serves other states', async () => {
  const subnet = await history(5)
  const { buckets } = subnet
  const [silent = ''] = hotkeys(subnet.voters)
  const openBucket: OpenBucket = (hotkey, url) => {
    const source = buckets.open(hotkey, url)
    if (source === null || hotkey !== silent) return source
    const read: typeof source.read = async (path, limit) => {
      if (path.startsWith('v1/states')) return new TextEncoder().encode('another')
      if (path.startsWith('v1/blocks'))
        await buckets.clock.sleep(30 * SECONDS).then(() => Promise.reject(new Error('late')))
      return source.read(path, limit)
    }
    return { ...source, read }
  }
  const [first = '', ...others] = await foundByLanes(subnet, openBucket)
  for (const other of others) expect(other).toBe(first)
  expect(first).toContain('STATE_DIFFERS')
})

test('nothing is charged while buckets of more than half of the weight are slow', async () => {
  const subnet = new ReadingSubnet([100, 100, 100, 100])
  const { clock } = subnet.buckets
  const slow = hotkeys(subnet.voters)
  const lost: string[] = []
  const patience = new Patience(clock, (hotkey) => lost.push(hotkey))
  patience.weigh(Object.fromEntries(slow.map((hotkey) => [hotkey, 100])))
  const open = patience.open(subnet.buckets.open)
  const readAll = (hotkeys: readonly string[]) =>
    clock.pass(Promise.allSettled(hotkeys.map((hotkey) => open(hotkey, hotkey)?.read('x', 1))))
  for (const hotkey of slow) subnet.buckets.at(hotkey).ms = SLOW_MS
  // The line is the reader's own.
  for (let i = 0; i < 20; i++) await readAll(slow.slice(0, 3))
  expect(lost).toEqual([])
  expect(subnet.buckets.readsOf(slow[0] ?? '')).toHaveLength(20)
  // Where half of the weight is fast, it is the buckets.
  for (let i = 0; i < 20; i++) await readAll(slow.slice(3))
  expect(lost).toEqual([])
  const few = new Patience(clock, (hotkey) => lost.push(hotkey))
  few.weigh(Object.fromEntries(slow.map((hotkey) => [hotkey, 100])))
  subnet.buckets.reads.length = 0
  const bounded = few.open(subnet.buckets.open)
  for (let i = 0; i < 20; i++)
    for (const hotkey of slow.slice(0, 2))
      await clock.pass(Promise.allSettled([bounded(hotkey, hotkey)?.read('x', 1)]))
  expect(lost.sort()).toEqual(slow.slice(0, 2).sort())
  // 4 times 28 s are more than 90 s; then 48 times as long passes until it is asked again.
  for (const hotkey of slow.slice(0, 2))
    expect(subnet.buckets.readsOf(hotkey).length).toBeLessThanOrEqual(5)
})

test('a bucket that has 64 kB/s is not slow, one that has less is', async () => {
  const subnet = new ReadingSubnet([100, 100, 100])
  const { clock } = subnet.buckets
  const [voter = ''] = hotkeys(subnet.voters)
  const waited = async (bytes: number, ms: number) => {
    const patience = new Patience(clock)
    subnet.buckets.at(voter).files.set('x', new Uint8Array(bytes))
    subnet.buckets.at(voter).ms = ms
    const read = patience.open(subnet.buckets.open)(voter, voter)?.read('x', bytes)
    await clock.pass(Promise.resolve(read))
    return patience.waits.get(voter) ?? 0
  }
  expect(await waited(640_000, 11 * SECONDS)).toBe(0)
  expect(await waited(640_000, 12 * SECONDS)).toBe(1000)
  expect(await waited(1, 1000)).toBe(0)
})
