import { blockPath } from '@affine/blocks'
import { expect, it, vi } from 'vitest'
import { hotkeys, ReadingSubnet } from '../../../test/attacks/reading-subnet.ts'
import { BucketReader, type Source } from '../src/bucket-reader.ts'
import type { Copies } from '../src/copies.ts'
import { laneFinder } from '../src/recompute.ts'

it('holds no more bytes than it may, but for the next lane, and shows lanes as asked for', async () => {
  const subnet = new ReadingSubnet([100, 100, 100])
  const state = await subnet.begin()
  const lanes = await Promise.all(subnet.voters.map((voter) => subnet.lane(voter, state)))
  for (const lane of lanes) subnet.put(lane)
  const [first = '', second = '', third = ''] = hotkeys(subnet.voters)
  let open = (): void => {}
  const opened = new Promise<void>((done) => {
    open = done
  })
  const answered: string[] = []
  const openBucket = (hotkey: string, url: string): Source => {
    const source = subnet.buckets.open(hotkey, url) as Source
    const read: Source['read'] = async (path, limit) => {
      if (path === blockPath(lanes[0]?.hash ?? '')) await opened
      answered.push(hotkey)
      return source.read(path, limit)
    }
    return { ...source, read }
  }
  const held: string[] = []
  const compareBlock: Copies['compareBlock'] = async ({ validator }) => void held.push(validator)
  const shown = new Set<string>()
  const find = laneFinder({
    ...{ chain: subnet.chain, state, reader: new BucketReader({ openBucket }) },
    copies: { compareBlock } as Copies,
    onSample: (_, { validator }) => shown.add(validator),
    lanesAtOnce: 3,
    heldBytes: lanes[1]?.bytes.length ?? 0,
  })
  const finding = subnet.voters.map(({ hotkey }, i) => {
    const holders = [{ hotkey, url: hotkey }]
    return find({ validator: hotkey, head: lanes[i]?.hash ?? '', attesters: [], holders })
  })
  await vi.waitFor(() => expect([held, answered]).toEqual([[second], [second, third]]))
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
  expect([held, [...shown]]).toEqual([[second], []])
  open()
  expect(await Promise.all(finding)).toMatchObject([{ ok: true }, { ok: true }, { ok: true }])
  expect(held).toEqual([second, first, third])
  expect([...shown]).toEqual([first, second, third])
})
