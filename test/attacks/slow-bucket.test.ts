import { beforeAll, expect, test } from 'vitest'
import { BucketFailure } from '../../packages/blocks/src/index.ts'
import { stateRoot } from '../../packages/duel/src/index.ts'
import { OneLiar } from './one-liar.ts'
import { hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

// Protocol §6.4: a slow bucket is treated like a bucket that never answers. All times are on a
// fake clock.
const SLOW_MS = 29_000
const SECONDS = 1000

// Readers once awaited each block from its lane's validator first: up to 29 s each for 1,024
// blocks. A victim was eight hours late, 281 blocks after its seal block.
test('decides the same at most two seconds later with a slow bucket', async () => {
  const subnet = new OneLiar()
  await subnet.play(await subnet.state, {})
  const decide = async () => {
    const recomputing = subnet.recompute({ compare: false, lanesAtOnce: 9 })
    const { value, ms } = await subnet.buckets.clock.pass(recomputing)
    return { ms, roots: value.map(({ state }) => stateRoot(state)) }
  }
  const fast = await decide()
  expect(fast.ms).toBe(0)
  subnet.buckets.at(subnet.liar.hotkey).ms = SLOW_MS
  const slow = await decide()
  expect(slow.ms).toBeLessThanOrEqual(2 * SECONDS)
  expect(slow.roots).toEqual(fast.roots)
})

const protocol = { ...network.protocol, evenEpoch: 50, duelEpochs: 50 }
/** A subnet in which all validators follow the rules for eight epochs. */
const subnet = new ReadingSubnet([100, 100, 100, 100], 0, { ...network, protocol })
beforeAll(async () => {
  let state = await subnet.begin()
  for (let left = 8; left > 0; left--) ({ state } = await subnet.play(state, {}))
})

// Readers once waited 164 s for a bucket that never answers, and minutes in each epoch for a bucket
// with 65 kB/s.
test.each([
  ['is silent', 30 * SECONDS, true],
  ['serves each block as slowly as 1.9 MB at 65 kB/s', 1_900_000 / 65, false],
])('waits 90 seconds in total for a bucket that %s', async (_, answerMs, isSilent) => {
  const { clock } = subnet.buckets
  const [slow = ''] = hotkeys(subnet.voters)
  const openBucket = subnet.buckets.openWith([slow], async (own, ...args) => {
    const bytes = await own(...args)
    await clock.sleep(answerMs)
    if (isSilent) throw late
    return bytes
  })
  const roots: unknown[] = []
  for (const lanesAtOnce of [1, 3]) {
    const recomputing = subnet.recompute({ openBucket, lanesAtOnce })
    const { value, ms } = await clock.pass(recomputing)
    const answers = subnet.buckets.readsOf(slow).length
    expect(ms).toBeGreaterThan(90 * SECONDS - 1)
    expect(ms).toBeLessThanOrEqual((90 + 0.25 * answers) * SECONDS)
    // Flaws name only this bucket, up to the last epoch.
    const named = value.flatMap(({ flaws }) => flaws)
    expect(new Set(named.map(({ validator }) => validator))).toEqual(new Set([slow]))
    expect(named.at(-1)).toMatchObject({ epoch: value.at(-1)?.epoch, code: 'COPY_MISSING' })
    roots.push(value.map(({ state }) => stateRoot(state)))
  }
  expect(roots[1]).toEqual(roots[0])
})

const late = new BucketFailure('read it', { code: 'late', reason: 'timed out' })

test('finds the same roots and flaws with one to four concurrent lanes if a bucket serves no block', async () => {
  const { buckets } = subnet
  const [silent = ''] = hotkeys(subnet.voters)
  const openBucket = buckets.openWith([silent], async (own, path, limit) => {
    if (path.startsWith('v1/states')) return new TextEncoder().encode('another')
    if (path.startsWith('v1/blocks'))
      await buckets.clock.sleep(30 * SECONDS).then(() => Promise.reject(late))
    return own(path, limit)
  })
  const found = new Set<string>()
  for (const lanesAtOnce of [1, 2, 3, 4]) {
    const { value } = await buckets.clock.pass(subnet.recompute({ openBucket, lanesAtOnce }))
    found.add(JSON.stringify(value.map(({ state, flaws }) => [stateRoot(state), flaws])))
  }
  expect([...found]).toEqual([expect.stringContaining('STATE_DIFFERS')])
})
