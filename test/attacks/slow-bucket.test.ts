import { expect, test } from 'vitest'
import { BucketFailure } from '../../packages/blocks/src/index.ts'
import { stateRoot } from '../../packages/duel/src/index.ts'
import type { OpenBucket, Waits } from '../../packages/settlement/src/index.ts'
import { OneLiar } from './one-liar.ts'
import { hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

// Protocol §6.4: a slow bucket is as good as a silent one. Each time is one on a fake clock.
const SLOW_MS = 29_000
const SECONDS = 1000

/** An epoch of honest lanes and the liar's, which all attest. */
async function attested(stakes?: readonly number[]): Promise<ReadingSubnet> {
  const subnet = stakes ? new ReadingSubnet(stakes) : new OneLiar()
  const state = subnet instanceof OneLiar ? await subnet.state : await subnet.begin()
  await subnet.play(state, {})
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
  const { buckets } = subnet
  const toVictims = buckets.openWith([hotkey], (own, ...asked) =>
    buckets.clock.sleep(SLOW_MS).then(() => own(...asked)),
  )
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

/** The buckets of a subnet, but for one, whose answers take so long, or end in an error then. */
const slowing = (
  { buckets }: ReadingSubnet,
  slow: string,
  answer: (bytes: Uint8Array | null) => number | Error,
): OpenBucket =>
  buckets.openWith([slow], async (own, ...asked) => {
    const bytes = await own(...asked)
    const ms = answer(bytes)
    await buckets.clock.sleep(ms instanceof Error ? 30 * SECONDS : ms)
    if (ms instanceof Error) throw ms
    return bytes
  })

const SLOW: readonly (readonly [how: string, answer: () => number | Error])[] = [
  ['is silent', () => late],
  ['takes 29 seconds for an answer', () => SLOW_MS],
  ['takes 14 seconds for an answer', () => 14 * SECONDS],
  ['serves blocks as if they had 1.9 MB, with 65 kB/s', () => 1_900_000 / 65],
]

// Before, a silent one cost 164 s, and one that had 65 kB/s minutes in every epoch.
test.each(SLOW)('a bucket that %s costs a history 90 seconds', async (_, answer) => {
  const subnet = await history(8)
  const { clock } = subnet.buckets
  const [slow = ''] = hotkeys(subnet.voters)
  const openBucket = slowing(subnet, slow, answer)
  const roots: unknown[] = []
  for (const lanesAtOnce of [1, 3]) {
    subnet.buckets.reads.length = 0
    let waits: Waits = new Map()
    const onWaits = (told: Waits) => {
      waits = told
    }
    const recomputing = subnet.recompute({ openBucket, onWaits, lanesAtOnce })
    const { value, ms } = await clock.pass(recomputing)
    const answers = subnet.buckets.readsOf(slow).length
    expect(ms).toBeGreaterThan(90 * SECONDS - 1)
    expect(ms).toBeLessThanOrEqual((90 + 0.25 * answers) * SECONDS)
    // Less what its last answers were allowed, several at once.
    const lost = [...waits].filter(([, waited]) => waited > 88 * SECONDS)
    expect(lost.map(([hotkey]) => hotkey)).toEqual([slow])
    // From then on it is named, and nobody else is.
    const named = value.flatMap(({ flaws }) => flaws)
    expect(new Set(named.map(({ validator }) => validator))).toEqual(new Set([slow]))
    expect(named.at(-1)).toMatchObject({ epoch: value.at(-1)?.epoch, code: 'COPY_MISSING' })
    roots.push(value.map(({ state }) => stateRoot(state)))
  }
  expect(roots[1]).toEqual(roots[0])
})

const late = new BucketFailure('read it', { code: 'late', reason: 'timed out' })

/** What is found in a history, for each number of lanes that are read at once. */
async function foundByLanes(subnet: ReadingSubnet, openBucket: OpenBucket) {
  const found: string[] = []
  for (const lanesAtOnce of [1, 2, 3, 4]) {
    const { value } = await subnet.buckets.clock.pass(subnet.recompute({ openBucket, lanesAtOnce }))
    found.push(JSON.stringify(value.map(({ state, flaws }) => [stateRoot(state), flaws])))
  }
  return found
}

test('one that is silent of blocks, and serves other states, is found alike with any lanes', async () => {
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
