import { expect, test } from 'vitest'
import { BucketFailure } from '../../packages/blocks/src/index.ts'
import { stateRoot } from '../../packages/duel/src/index.ts'
import type { OpenBucket, Waits } from '../../packages/settlement/src/index.ts'
import { OneLiar } from './one-liar.ts'
import { hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

// Protocol §6.4: a slow bucket is treated like a bucket that never answers. All times are on a
// fake clock.
const SLOW_MS = 29_000
const SECONDS = 1000

/** Plays an epoch in which all attest all lanes. */
async function playAttested(stakes?: readonly number[]): Promise<ReadingSubnet> {
  const subnet = stakes ? new ReadingSubnet(stakes) : new OneLiar()
  const state = subnet instanceof OneLiar ? await subnet.state : await subnet.begin()
  await subnet.play(state, {})
  return subnet
}

const decide = (subnet: ReadingSubnet, openBucket: OpenBucket = subnet.buckets.open) =>
  subnet.buckets.clock.pass(subnet.recompute({ compare: false, openBucket, lanesAtOnce: 9 }))

// Readers once awaited each block from its lane's validator first: up to 29 s each for 1,024
// blocks. A victim was eight hours late, 281 blocks after its seal block.
test('decides two seconds later with a slow bucket, which is then read last', async () => {
  const subnet = await playAttested()
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

/** Plays epochs in which all validators follow the rules. */
async function history(epochs: number): Promise<ReadingSubnet> {
  const protocol = { ...network.protocol, evenEpoch: 50, duelEpochs: 50 }
  const subnet = new ReadingSubnet([100, 100, 100, 100], 0, { ...network, protocol })
  let state = await subnet.begin()
  for (let left = epochs; left > 0; left--) ({ state } = await subnet.play(state, {}))
  return subnet
}

/**
 * Returns the buckets of a subnet. The bucket of `slow` delays each answer by the milliseconds that
 * `answer` returns, or fails after 30 s if it returns an error.
 */
const openSlowly = (
  { buckets }: ReadingSubnet,
  slow: string,
  answer: (bytes: Uint8Array | null) => number | Error,
): OpenBucket =>
  buckets.openWith([slow], async (own, ...args) => {
    const bytes = await own(...args)
    const ms = answer(bytes)
    await buckets.clock.sleep(ms instanceof Error ? 30 * SECONDS : ms)
    if (ms instanceof Error) throw ms
    return bytes
  })

const SLOW: readonly (readonly [how: string, answer: () => number | Error])[] = [
  ['is silent', () => late],
  ['serves blocks as if they had 1.9 MB, with 65 kB/s', () => 1_900_000 / 65],
]

// A bucket that never answers once cost 164 s, and a bucket with 65 kB/s minutes in every epoch.
test.each(SLOW)('waits 90 seconds in a history for a bucket that %s', async (_, answer) => {
  const subnet = await history(8)
  const { clock } = subnet.buckets
  const [slow = ''] = hotkeys(subnet.voters)
  const openBucket = openSlowly(subnet, slow, answer)
  const roots: unknown[] = []
  for (const lanesAtOnce of [1, 3]) {
    subnet.buckets.reads.length = 0
    let waits: Waits = new Map()
    const onWaits = (total: Waits) => {
      waits = total
    }
    const recomputing = subnet.recompute({ openBucket, onWaits, lanesAtOnce })
    const { value, ms } = await clock.pass(recomputing)
    const answers = subnet.buckets.readsOf(slow).length
    expect(ms).toBeGreaterThan(90 * SECONDS - 1)
    expect(ms).toBeLessThanOrEqual((90 + 0.25 * answers) * SECONDS)
    // The waits exclude the allowances of the last answers, several of which run concurrently.
    const lost = [...waits].filter(([, waited]) => waited > 88 * SECONDS)
    expect(lost.map(([hotkey]) => hotkey)).toEqual([slow])
    // Flaws name only this bucket, up to the last epoch.
    const named = value.flatMap(({ flaws }) => flaws)
    expect(new Set(named.map(({ validator }) => validator))).toEqual(new Set([slow]))
    expect(named.at(-1)).toMatchObject({ epoch: value.at(-1)?.epoch, code: 'COPY_MISSING' })
    roots.push(value.map(({ state }) => stateRoot(state)))
  }
  expect(roots[1]).toEqual(roots[0])
})

const late = new BucketFailure('read it', { code: 'late', reason: 'timed out' })

/** Resolves with the findings in a history for each number of concurrent lanes. */
async function foundByLanes(subnet: ReadingSubnet, openBucket: OpenBucket) {
  const found: string[] = []
  for (const lanesAtOnce of [1, 2, 3, 4]) {
    const { value } = await subnet.buckets.clock.pass(subnet.recompute({ openBucket, lanesAtOnce }))
    found.push(JSON.stringify(value.map(({ state, flaws }) => [stateRoot(state), flaws])))
  }
  return found
}

test('finds the same with any number of concurrent lanes if a bucket serves no block', async () => {
  const subnet = await history(5)
  const { buckets } = subnet
  const [silent = ''] = hotkeys(subnet.voters)
  const openBucket = buckets.openWith([silent], async (own, path, limit) => {
    if (path.startsWith('v1/states')) return new TextEncoder().encode('another')
    if (path.startsWith('v1/blocks'))
      await buckets.clock.sleep(30 * SECONDS).then(() => Promise.reject(late))
    return own(path, limit)
  })
  const [first = '', ...others] = await foundByLanes(subnet, openBucket)
  for (const other of others) expect(other).toBe(first)
  expect(first).toContain('STATE_DIFFERS')
})
