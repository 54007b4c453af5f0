import { expect, test } from 'vitest'
import { type Account, decodeCommitment } from '../../packages/chain/src/index.ts'
import type { State } from '../../packages/duel/src/index.ts'
import { OneLiar } from './one-liar.ts'
import { flawsOf, hotkeys, network } from './reading-subnet.ts'

// Protocol §5.2 and §8.1: a commitment says what it says for the hotkey in whose slot it is. A copy
// of another's names another's lane and another's secret. That its address is another's is not found
// out (§11).

/** Puts the bytes of a slot into another. */
async function copy(subnet: OneLiar, from: Account, to: Account): Promise<void> {
  const { commitments } = await subnet.chain.snapshot(subnet.chain.height)
  const slot = commitments.find(({ hotkey }) => hotkey === from.hotkey)
  const said = decodeCommitment(slot?.fields ?? [], from.hotkey)
  if (said === null) throw new Error('an empty slot')
  await subnet.commit(to, said)
}

test('another’s attestation: its copier has no lane in the next epoch, and is named then', async () => {
  const subnet = new OneLiar()
  const { liar, honest } = subnet
  await subnet.beHonest()
  await copy(subnet, honest[0], liar)
  const state = await subnet.state
  await subnet.end(state)
  const epoch = (await subnet.recompute()).at(-1)
  expect(flawsOf(epoch ? [epoch] : [])).toEqual([])

  // It is due with another's commitment to a secret, which nobody can open as the copier.
  const next = epoch?.state as State
  const { flaws, report } = await subnet.play(next, {})
  expect(flaws).toMatchObject([{ validator: liar.hotkey, code: 'WRONG_SECRET' }])
  for (const { hotkey } of subnet.voters)
    expect(report.lanes[hotkey]?.accepted).toBe(hotkey !== liar.hotkey)
})

test('another’s seal: the lane is not its copier’s', async () => {
  const subnet = new OneLiar()
  const { liar, honest } = subnet
  const state = await subnet.state
  const [first] = honest
  const block = await subnet.lane(first, state)
  await subnet.seal(first, state, block.hash)
  await copy(subnet, first, liar)
  await subnet.beHonest()
  await subnet.attest(liar, state, hotkeys(subnet.voters))
  const { flaws, accepted } = await subnet.outcome()
  expect(flaws).toEqual([`WRONG_SCOPE ${liar.hotkey}`])
  expect(accepted).toEqual(new Set(hotkeys(honest)))
})

test('its own attestation of the epoch before, once more: as if it had said nothing', async () => {
  const [silent, replaying] = [new OneLiar(), new OneLiar()]
  for (const subnet of [silent, replaying]) {
    const { liar } = subnet
    const state = await subnet.state
    if (subnet === replaying) await copy(subnet, liar, liar)
    await subnet.beHonest()
    const { flaws } = await subnet.outcome()
    expect(flaws).toEqual([])
    const epoch = (await subnet.recompute()).at(-1)
    expect(Object.keys(state.due)).toContain(liar.hotkey)
    expect(Object.keys(epoch?.state.due ?? {})).not.toContain(liar.hotkey)
  }
  expect((await replaying.outcome()).root).toBe((await silent.outcome()).root)
})

test('a stranger’s copies of what voters write change nothing, and name nobody', async () => {
  const [plain, copied] = [new OneLiar(network, 1), new OneLiar(network, 1)]
  for (const subnet of [plain, copied]) {
    const [stranger = subnet.liar] = subnet.strangers
    const state = await subnet.state
    const block = await subnet.lane(subnet.liar, state)
    subnet.put(block)
    await subnet.seal(subnet.liar, state, block.hash)
    if (subnet === copied) await copy(subnet, subnet.liar, stranger)
    await subnet.beHonest()
    await subnet.attest(subnet.liar, state, hotkeys(subnet.voters))
    if (subnet === copied) await copy(subnet, subnet.honest[0], stranger)
  }
  const { flaws, root, accepted } = await copied.outcome()
  expect(flaws).toEqual([])
  expect(accepted).toEqual(new Set(hotkeys(copied.honest)))
  expect(root).toBe((await plain.outcome()).root)
})
