import { blockPath, LIMITS } from '@affine/blocks'
import type { Account } from '@affine/chain'
import { expect, it, test, vi } from 'vitest'
import {
  flawsOf,
  hotkeys,
  type LanePlan,
  network,
  ReadingSubnet,
} from '../../../test/attacks/reading-subnet.ts'
import { withQuota } from '../../duel/test/subnet.ts'
import { BucketReader } from '../src/bucket-reader.ts'
import type { Copies } from '../src/copies.ts'
import { createLaneFinder, type RecomputeOptions } from '../src/recompute.ts'

/**
 * Returns a subnet of three voters, and the state of an ended epoch in which all voters seal a lane
 * and attest all lanes. The second voter's lane follows `plan`.
 */
async function playAttested(plan: LanePlan = {}) {
  const subnet = new ReadingSubnet([100, 100, 100])
  const [first, second, third] = subnet.voters as [Account, Account, Account]
  const state = await subnet.begin()
  await subnet.sealOne(second, state, plan)
  await subnet.sealAll(state, [first, third])
  await subnet.attestAll(state)
  await subnet.end(state)
  return { subnet, state }
}

test('recomputes every ended epoch of a range', async () => {
  const { subnet, state } = await playAttested()
  const epochs = async (of: Partial<RecomputeOptions>) =>
    (await subnet.recompute({ ...of, compare: false })).map(({ epoch }) => epoch)
  expect(await epochs({})).toEqual([0, 1, 2])
  expect(await epochs({ from: state, to: 2 })).toEqual([2])
  expect(await epochs({ from: { ...state, epoch: 3 } })).toEqual([])
  await expect(epochs({ to: 3 })).rejects.toThrow(/^epoch 3 .* 2$/)
  await expect(epochs({ from: state, to: 1 })).rejects.toThrow(/^epoch 1 .* 2$/)
})

test.each<[string, RecomputeOptions['choose'], readonly string[]]>([
  ['all', undefined, ['COPY_MISSING', 'STATE_DIFFERS']],
  ['only chosen ones, here none', (holders) => holders.slice(0, 0), ['STATE_DIFFERS']],
  ['none, but the state of the last epoch', null, ['STATE_DIFFERS']],
])('compares these copies of a block: %s', async (_, choose, codes) => {
  const { subnet, state } = await playAttested()
  const { files } = subnet.buckets.at(subnet.voters[1]?.hotkey ?? '')
  for (const path of files.keys()) files.delete(path)
  files.set(`v1/states/${state.epoch}.json`, new Uint8Array(9))
  const [epoch] = await subnet.recompute({ from: state, choose })
  expect(new Set(epoch?.flaws.map(({ code }) => code))).toEqual(new Set(codes))
})

test.each([
  [undefined, 1],
  [2, 2],
  [9, 3],
])('reads, with lanesAtOnce %s, %i of three lanes concurrently', async (lanesAtOnce, most) => {
  const { subnet, state } = await playAttested()
  for (const { hotkey } of subnet.voters) subnet.buckets.at(hotkey).ms = 10
  let [now, seen] = [0, 0]
  const openBucket = subnet.buckets.openWith(hotkeys(subnet.voters), (own, ...args) => {
    now += 1
    seen = Math.max(seen, now)
    return own(...args).finally(() => {
      now -= 1
    })
  })
  const options = { from: state, compare: false, openBucket }
  await subnet.buckets.clock.pass(
    subnet.recompute({ ...options, ...(lanesAtOnce && { lanesAtOnce }) }),
  )
  expect(seen).toBe(most)
})

test.each([true, false])('shows samples only of valid lanes, with compare: %s', async (compare) => {
  const { subnet, state } = await playAttested({ secret: '0f'.repeat(32) })
  const [first, second, third] = subnet.voters as [Account, Account, Account]
  const seen: unknown[] = []
  const onSample: RecomputeOptions['onSample'] = (_, place) => seen.push(place)
  const epochs = await subnet.recompute({ from: state, compare, onSample })
  expect(flawsOf(epochs)).toEqual([`WRONG_SECRET ${second.hotkey}`])
  const lanes = [first, third].map(async (voter) => {
    const { hash: block } = await subnet.lane(voter, state)
    return [0, 1, 2, 3].map((line) => ({ validator: voter.hotkey, block, line }))
  })
  const want = (await Promise.all(lanes)).flat()
  expect(seen).toHaveLength(want.length)
  expect(seen).toEqual(expect.arrayContaining(want))
})

test('shows samples in the order of their lane, block after block', async () => {
  const challenges = LIMITS.blockSamples / 2 + 1
  const rules = { ...network, protocol: withQuota(network.protocol, challenges) }
  const subnet = new ReadingSubnet([100], 0, rules)
  const state = await subnet.begin()
  await subnet.play(state, {})
  const seen: number[] = []
  await subnet.recompute({ from: state, onSample: ({ index }) => seen.push(index) })
  expect(seen).toEqual(Array.from({ length: 2 * challenges }, (_, i) => i >> 1))
})

it('holds at most `heldBytes` and the next lane, and shows lanes in the order of requests', async () => {
  const subnet = new ReadingSubnet([100, 100, 100])
  const state = await subnet.begin()
  const lanes = await Promise.all(subnet.voters.map((voter) => subnet.lane(voter, state)))
  for (const lane of lanes) subnet.put(lane)
  const [first = '', second = '', third = ''] = hotkeys(subnet.voters)
  let open = (): void => {}
  let opened: Promise<void>
  /** Indices of the lanes whose block was read. */
  let answered: number[]
  const openBucket = subnet.buckets.openWith(hotkeys(subnet.voters), async (own, path, limit) => {
    const lane = lanes.findIndex(({ hash }) => path === blockPath(hash))
    if (lane === 0) await opened
    answered.push(lane)
    return own(path, limit)
  })
  let held: string[]
  const compareBlock: Copies['compareBlock'] = async ({ validator }) => void held.push(validator)
  let shown: Set<string>
  const find = createLaneFinder({
    ...{ chain: subnet.chain, state, reader: new BucketReader({ openBucket }) },
    copies: { compareBlock } as Copies,
    onSample: (_, { validator }) => shown.add(validator),
    lanesAtOnce: 3,
    heldBytes: lanes[1]?.bytes.length ?? 0,
  })
  // The second run has the same memory: samples that the first run has shown are no longer held.
  for (const _ of ['once', 'again']) {
    opened = new Promise<void>((done) => {
      open = done
    })
    answered = []
    held = []
    shown = new Set()
    const finding = subnet.voters.map(({ hotkey }, i) => {
      const holders = [{ hotkey, url: hotkey }]
      return find({ validator: hotkey, head: lanes[i]?.hash ?? '', attesters: [], holders })
    })
    await vi.waitFor(() => expect([held, answered]).toEqual([[second], [1, 2]]))
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
    expect([held, [...shown]]).toEqual([[second], []])
    open()
    expect(await Promise.all(finding)).toMatchObject([{ ok: true }, { ok: true }, { ok: true }])
    expect(held).toEqual([second, first, third])
    expect([...shown]).toEqual([first, second, third])
  }
})
