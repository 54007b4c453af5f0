import type { State } from '@affine/duel'
import { expect, test } from 'vitest'
import { champion, hotkeys, network, ReadingSubnet } from '../../../test/attacks/reading-subnet.ts'
import {
  checkLane,
  decideEpoch,
  isMissing,
  type LaneSearch,
  UnavailableError,
} from '../src/index.ts'

const HASH = 'ab'.repeat(32)

async function startSealed() {
  const subnet = new ReadingSubnet([100, 100, 100], 1)
  const state = await subnet.begin()
  await subnet.sealAll(state)
  const earlier = [{ until: state.epoch + 1, protocol: { ...network.protocol, cap: 1 } }]
  return { subnet, state, data: { chain: subnet.chain, network: { ...network, earlier } } }
}

test('rejects if an attested lane is unavailable', async () => {
  const { subnet, state } = await startSealed()
  await subnet.attestAll(state)
  await subnet.end(state)
  for (const { hotkey } of subnet.voters) subnet.buckets.at(hotkey).files.clear()
  const recomputing = subnet.recompute({ from: state, compare: false })
  await expect(recomputing).rejects.toThrow(UnavailableError)
  await expect(recomputing).rejects.toThrow(
    /^epoch 2: the attested lane of \S+ is not available: try again .* \(block \w+: no bucket has a valid copy .*file not found/,
  )
})

test('finds the lanes that enough weight attests, and others if they are wanted', async () => {
  const { subnet, state, data } = await startSealed()
  const [first = '', second = '', third = ''] = hotkeys(subnet.voters)
  for (const voter of subnet.voters.slice(0, 2)) await subnet.attest(voter, state, [first])
  const [, , last] = subnet.voters
  if (last) await subnet.attest(last, state, [second])
  await subnet.end(state)
  const soughtWith = async (isWanted?: (validator: string) => boolean) => {
    const sought: LaneSearch[] = []
    const find = async (lane: LaneSearch) => {
      sought.push(lane)
      const code = lane.validator === first ? 'BAD_LINES' : 'MISSING_BLOCK'
      return { ok: false, code, detail: '' } as const
    }
    const settled = await decideEpoch(data, state, find, isWanted)
    const { protocol } = network
    expect(settled.snapshot).toMatchObject({ epoch: state.epoch + 1, protocol })
    return sought
  }
  const attesters = [first, second].sort()
  expect(await soughtWith()).toMatchObject([{ validator: first, attesters }])
  const wanted = await soughtWith((validator) => validator !== first)
  const byValidator = new Map(wanted.map((lane) => [lane.validator, lane]))
  expect(byValidator.get(third)?.attesters).toEqual([])
  expect(byValidator.get(second)?.attesters).toEqual([third])
  // The lane is read from its attesters, then from its validator, then from others.
  expect(hotkeys(byValidator.get(second)?.holders ?? [])).toEqual([third, second, first])
})

test('verifies only the lane of a due validator under a champion', async () => {
  const { subnet, state } = await startSealed()
  const { chain } = subnet
  const read = async () => ({ ok: false, code: 'MISSING_BLOCK', detail: '' }) as const
  const check = (state: State, validator: string) =>
    checkLane({ chain, state, validator, head: HASH, read })
  const [due = ''] = hotkeys(subnet.voters)
  expect(isMissing(await check(state, due))).toBe(true)
  await expect(check(state, champion.hotkey)).rejects.toThrow(
    new RangeError(`"validator" expected a due validator, got ${champion.hotkey}`),
  )
  const { champion: _, ...vacant } = state
  await expect(check(vacant, due)).rejects.toThrow(RangeError)
})
