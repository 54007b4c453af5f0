import { describe, expect, test } from 'vitest'
import { blockPath, statePath } from '../../packages/blocks/src/index.ts'
import type { Account } from '../../packages/chain/src/index.ts'
import { firstState } from '../../packages/duel/src/index.ts'
import { decodeCommitments } from '../../packages/settlement/src/index.ts'
import { RUBBISH } from './lies.ts'
import { OneLiar } from './one-liar.ts'
import { champion, flawsOf, hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

const named = (code: string, accounts: readonly Account[]): readonly string[] =>
  hotkeys(accounts)
    .map((hotkey) => `${code} ${hotkey}`)
    .sort()

// Protocol §5.2: a validator that attests is responsible for the state that it serves. lies.test.ts
// tests the attestation of a lane that no one has.
describe('answering', () => {
  test('compares a served state when the epoch that the state governs is recomputed', async () => {
    const subnet = new ReadingSubnet([100, 100, 100])
    const [, second] = subnet.voters as [Account, Account]
    const { files } = subnet.buckets.at(second.hotkey)
    const state = await subnet.begin()
    await subnet.play(state, {})
    const differs = [`STATE_DIFFERS ${second.hotkey}`]
    files.set(statePath(1), RUBBISH)
    expect(flawsOf(await subnet.recompute())).toEqual(differs)
    expect(flawsOf(await subnet.recompute({ from: state }))).toEqual([])
    files.set(statePath(2), RUBBISH)
    expect(flawsOf(await subnet.recompute({ from: state }))).toEqual(differs)
    expect(flawsOf(await subnet.recompute({ to: 1 }))).toEqual(differs)
  })

  test('names each attester of a state that is not served, in each epoch', async () => {
    const subnet = new ReadingSubnet([100, 100, 100])
    const attesting = subnet.voters.slice(0, 2)
    const state = await subnet.begin()
    await subnet.sealAll(state)
    await subnet.attestAll(state, attesting, hotkeys(subnet.voters))
    await subnet.end(state)
    for (const { hotkey } of subnet.voters)
      for (const epoch of [0, 1, 2, 3]) subnet.buckets.at(hotkey).files.delete(statePath(epoch))
    const found = (await subnet.recompute()).map((epoch) => [...flawsOf([epoch])].sort())
    // Anyone can compute state 0, so no one has to serve it. No one has attested state 3.
    const missing = named('STATE_MISSING', attesting)
    expect(found).toEqual([[], named('STATE_MISSING', subnet.voters), missing])
    // With `choose: null` no blocks are compared, and states only in the last epoch.
    const last = flawsOf(await subnet.recompute({ choose: null }))
    expect([...last].sort()).toEqual(missing)
  })

  test('ignores the wrong state of a voter that neither attests nor is due', async () => {
    const subnet = new ReadingSubnet([100, 100, 100])
    const [first, second, third] = subnet.voters as [Account, Account, Account]
    const begun = await subnet.begin()
    await subnet.sealAll(begun, [first, second])
    await subnet.attestAll(begun, [first, second])
    const { state } = await subnet.endWith(begun)
    subnet.buckets.at(third.hotkey).files.set(statePath(state.epoch), RUBBISH)
    // The third voter's slot still contains its attestation of the previous epoch.
    await subnet.attestAll(state, [first, second], [])
    await subnet.end(state)
    expect(flawsOf(await subnet.recompute())).toEqual([])
  })

  test('names a voter that serves a wrong state, even without a duel', async () => {
    const subnet = new ReadingSubnet([100, 100, 100], 1)
    const [, second] = subnet.voters as [Account, Account]
    const [stranger] = subnet.strangers as [Account]
    await subnet.commit(champion, { kind: 'miner', model: 'm', revision: 'r', chute: 'c' })
    const attesting = [...subnet.voters, stranger]
    const first = firstState(subnet.network.protocol, 0)
    await subnet.attestAll(first, attesting, [])
    const crowned = await subnet.endWith(first)
    expect(crowned.state.duels).toEqual([])
    for (const { hotkey } of [second, stranger])
      subnet.buckets.at(hotkey).files.set(statePath(1), RUBBISH)
    await subnet.attestAll(crowned.state, attesting, [])
    const idle = await subnet.endWith(crowned.state)
    expect([idle.epoch, flawsOf([idle])]).toEqual([1, [`STATE_DIFFERS ${second.hotkey}`]])
  })
})

// Protocol §6.4: a validator that announces an address is responsible for the files served there.
// Several validators may announce the same address, in any order. A validator that stores nothing
// itself and announces another's address is not detected (§11).
describe('shared-address', () => {
  const URL = 'https://bucket.example/v'

  /**
   * Plays an epoch of four voters, of which the first three announce one address, and all attest
   * all lanes, except that the third does not attest the last voter's lane. `spoil` changes the
   * files at the shared address; it gets the paths of the last voter's block and of a state.
   * Resolves with the flaws and the sharing voters.
   */
  async function share(
    spoil: (files: Map<string, Uint8Array>, block: string, state: string) => void,
  ) {
    const subnet = new ReadingSubnet([100, 100, 100, 100])
    const [first, second, third, other] = subnet.voters as [Account, Account, Account, Account]
    const state = await subnet.begin()
    const { hash } = await subnet.lane(other, state)
    await subnet.sealAll(state)
    const { files } = subnet.buckets.at(URL)
    subnet.publish(state)
    for (const [path, bytes] of subnet.buckets.at(other.hotkey).files) files.set(path, bytes)
    spoil(files, blockPath(hash), statePath(state.epoch))
    const all = hotkeys(subnet.voters)
    await subnet.attest(third, state, all.slice(0, 3), URL)
    await subnet.attest(other, state, all)
    for (const voter of [second, first]) await subnet.attest(voter, state, all, URL)
    const epoch = await subnet.endWith(state)
    const lanes = Object.values(epoch.report.lanes)
    expect(lanes.map(({ accepted }) => accepted)).toEqual([true, true, true, true])
    return { flaws: [...flawsOf([epoch])].sort(), sharing: [first, second, third] }
  }

  test.each([
    ['nothing', 'COPY_MISSING', undefined],
    ['rubbish', 'BAD_LINES', RUBBISH],
  ])('names only the attesters of a lane for which the address serves %s', async (...row) => {
    const [, code, bytes] = row
    const { flaws, sharing } = await share((files, block) => {
      if (bytes) files.set(block, bytes)
      else files.delete(block)
    })
    expect(flaws).toEqual(named(code, sharing.slice(0, 2)))
  })

  test('names only validators whose address serves rubbish for a state', async () => {
    const { flaws, sharing } = await share((files, _, state) => files.set(state, RUBBISH))
    expect(flaws).toEqual(named('STATE_DIFFERS', sharing))
  })
})

// Protocol §5.2 and §8.1: a commitment applies to the hotkey of its slot. A copy of another
// validator's commitment names that validator's lane and secret. That it also names that
// validator's address is not detected (§11).
describe('replayed-commitment', () => {
  /** Commits the content of the slot of `from` in the slot of `to`. */
  async function copy(subnet: OneLiar, from: Account, to: Account): Promise<void> {
    const snapshot = await subnet.chain.snapshot(subnet.chain.height)
    const commitment = decodeCommitments(snapshot).get(from.hotkey)
    if (commitment === undefined) throw new Error('the slot is empty')
    await subnet.commit(to, commitment)
  }

  test('names the copier of an attestation one epoch later, when the copier’s lane is void', async () => {
    const subnet = new OneLiar()
    const { liar, honest } = subnet
    await subnet.playHonestly()
    await copy(subnet, honest[0], liar)
    const epoch = await subnet.endWith(await subnet.state)
    expect(epoch.flaws).toEqual([])

    // The copied commitment to a secret is bound to another hotkey, so the copier cannot reveal it.
    const { flaws, report } = await subnet.play(epoch.state, {})
    expect(flaws).toMatchObject([{ validator: liar.hotkey, code: 'WRONG_SECRET' }])
    for (const { hotkey } of subnet.voters)
      expect(report.lanes[hotkey]?.accepted).toBe(hotkey !== liar.hotkey)
  })

  test('names the copier of a seal, since the lane is another validator’s', async () => {
    const subnet = new OneLiar()
    const { liar, honest } = subnet
    const [first] = honest
    await subnet.sealOne(first, await subnet.state)
    await copy(subnet, first, liar)
    await subnet.playHonestly()
    await subnet.lie(hotkeys(subnet.voters))
    const { flaws, accepted } = await subnet.outcome()
    expect(flaws).toEqual([`WRONG_SCOPE ${liar.hotkey}`])
    expect(accepted).toEqual(new Set(hotkeys(honest)))
  })

  test('ignores an attestation of the previous epoch that is committed again', async () => {
    const [silent, replaying] = [new OneLiar(), new OneLiar()]
    for (const subnet of [silent, replaying]) {
      const { liar } = subnet
      const state = await subnet.state
      if (subnet === replaying) await copy(subnet, liar, liar)
      await subnet.playHonestly()
      const { flaws } = await subnet.outcome()
      expect(flaws).toEqual([])
      const epoch = await subnet.endWith(state)
      expect(Object.keys(state.due)).toContain(liar.hotkey)
      expect(Object.keys(epoch.state.due)).not.toContain(liar.hotkey)
    }
    expect((await replaying.outcome()).root).toBe((await silent.outcome()).root)
  })

  test('ignores a stranger’s copies of voters’ commitments', async () => {
    const [plain, copied] = [new OneLiar(network, 1), new OneLiar(network, 1)]
    for (const subnet of [plain, copied]) {
      const [stranger = subnet.liar] = subnet.strangers
      await subnet.sealLie({})
      if (subnet === copied) await copy(subnet, subnet.liar, stranger)
      await subnet.playHonestly()
      await subnet.lie(hotkeys(subnet.voters))
      if (subnet === copied) await copy(subnet, subnet.honest[0], stranger)
    }
    const { flaws, root, accepted } = await copied.outcome()
    expect(flaws).toEqual([])
    expect(accepted).toEqual(new Set(hotkeys(copied.honest)))
    expect(root).toBe((await plain.outcome()).root)
  })
})
