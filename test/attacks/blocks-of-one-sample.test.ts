import { expect, test } from 'vitest'
import { blockPath } from '../../packages/blocks/src/index.ts'
import { OneLiar } from './one-liar.ts'
import { flawsOf, hotkeys } from './reading-subnet.ts'

// Protocol §6.2: every block but a lane's last is full. Before, a lane of 1,024 blocks of one sample
// each was whole, and cost each reader 1,024 reads, each of which could be served in 29 s.
test('a lane in blocks of one sample is void, and no more than two of them are read', async () => {
  const subnet = new OneLiar()
  const { liar } = subnet
  const state = await subnet.state
  const first = await subnet.lane(liar, state, {
    alter: (samples) => samples.slice(0, 1),
    header: { secret: undefined },
  })
  const last = await subnet.lane(liar, state, {
    alter: (samples) => samples.slice(1),
    header: { height: 1, prev: first.hash },
  })
  for (const block of [first, last]) subnet.put(block)
  await subnet.seal(liar, state, last.hash)
  await subnet.beHonest()
  await subnet.attest(liar, state, hotkeys(subnet.voters))
  const { flaws, accepted } = await subnet.outcome()
  expect(flaws).toEqual([`SHORT_BLOCK ${liar.hotkey}`])
  expect(accepted).toEqual(new Set(hotkeys(subnet.honest)))
  // To decide, nobody reads it at all.
  expect(flawsOf(await subnet.recompute({ compare: false }))).toEqual([])
  const paths = new Set([first, last].map(({ hash }) => blockPath(hash)))
  expect(subnet.buckets.reads.filter(([, path]) => paths.has(path))).toEqual([])
})
