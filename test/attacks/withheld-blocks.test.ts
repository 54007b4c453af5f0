import { expect, test } from 'vitest'
import { blockPath } from '../../packages/blocks/src/index.ts'
import { stateRoot } from '../../packages/duel/src/index.ts'
import { OneLiar } from './one-liar.ts'
import { flawsOf, hotkeys, type LanePlan } from './reading-subnet.ts'

// Protocol §6.5: to decide, no lane is asked for but those that more than half of the weight that
// attests has the bit of. §6.4: who serves nothing is named, and nobody waits for it.
const HEADER = { height: 1, prev: 'ab'.repeat(32) }
const HALF: LanePlan = { alter: (samples) => samples.slice(1), header: HEADER }

/** The liar seals a lane, serves what `serve` puts into its bucket, and attests itself. */
async function withholding(plan: LanePlan, isServed: boolean) {
  const subnet = new OneLiar()
  const { liar } = subnet
  const state = await subnet.state
  const block = await subnet.lane(liar, state, plan)
  if (isServed) subnet.put(block)
  await subnet.seal(liar, state, block.hash)
  await subnet.beHonest()
  await subnet.attest(liar, state, hotkeys(subnet.voters))
  return { subnet, block, ...(await subnet.outcome()) }
}

test.each([
  ['nothing of its lane', {}, false],
  ['its last block but not the one before', HALF, true],
] as const)(
  'who serves %s is named, its lane does not count, the others’ do',
  async (...attack) => {
    const [, plan, isServed] = attack
    const { subnet, flaws, accepted } = await withholding(plan, isServed)
    const { hotkey } = subnet.liar
    expect(flaws).toEqual([`MISSING_BLOCK ${hotkey}`, `COPY_MISSING ${hotkey}`])
    expect(accepted).toEqual(new Set(hotkeys(subnet.honest)))
  },
)

test('to decide, nobody asks for it: not one read, and the same root', async () => {
  const { subnet, block, root } = await withholding({}, false)
  const epochs = await subnet.recompute({ compare: false })
  expect(flawsOf(epochs)).toEqual([])
  const paths = subnet.buckets.reads.map(([, path]) => path)
  expect(paths).not.toContain(blockPath(block.hash))
  // Each of the three lanes that count, once.
  expect(paths).toHaveLength(subnet.honest.length)
  const kept = await withholding({}, true)
  expect(kept.flaws).toEqual([])
  expect(kept.root).toBe(root)
})

test('silent besides, its bucket is asked three times, for state, lane and copies, and no more', async () => {
  const { subnet, root } = await withholding({}, false)
  subnet.buckets.at(subnet.liar.hotkey).behaviour = 'fails'
  const [epoch] = await subnet.recompute({ from: await subnet.state })
  expect(epoch && stateRoot(epoch.state)).toBe(root)
  expect(subnet.buckets.readsOf(subnet.liar.hotkey)).toHaveLength(3)
})
