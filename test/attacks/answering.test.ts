import { describe, expect, test } from 'vitest'
import { blockPath, statePath } from '../../packages/blocks/src/index.ts'
import { type Account, decodeCommitment } from '../../packages/chain/src/index.ts'
import { firstState, type State } from '../../packages/duel/src/index.ts'
import { OneLiar } from './one-liar.ts'
import { champion, flawsOf, hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

const RUBBISH = new TextEncoder().encode('rubbish')

// Protocol §5.2: a validator that attests is responsible for the state that it serves. lies.test.ts
// tests the attestation of a lane that no one has.
describe('answering', () => {
  /** Resolves with the flaws after the end of the epoch. */
  async function flawsAtEnd(subnet: ReadingSubnet, state: State): Promise<readonly string[]> {
    await subnet.end(state)
    return flawsOf(await subnet.recompute())
  }

  test('compares a served state when the epoch that the state governs is recomputed', async () => {
    const subnet = new ReadingSubnet([100, 100, 100])
    const [, second] = subnet.voters as [Account, Account]
    const state = await subnet.begin()
    await subnet.sealAll(state)
    for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
    subnet.buckets.at(second.hotkey).files.set(statePath(1), RUBBISH)
    expect(await flawsAtEnd(subnet, state)).toEqual([`STATE_DIFFERS ${second.hotkey}`])
    const differs = [`STATE_DIFFERS ${second.hotkey}`]
    expect(flawsOf(await subnet.recompute({ from: state }))).toEqual([])
    subnet.buckets.at(second.hotkey).files.set(statePath(2), RUBBISH)
    expect(flawsOf(await subnet.recompute({ from: state }))).toEqual(differs)
    expect(flawsOf(await subnet.recompute({ to: 1 }))).toEqual(differs)
  })

  test('names each attester of a state that is not served, in each epoch', async () => {
    const subnet = new ReadingSubnet([100, 100, 100])
    const [first, second, third] = subnet.voters as [Account, Account, Account]
    const state = await subnet.begin()
    await subnet.sealAll(state)
    const attesting = [first, second]
    for (const voter of attesting) await subnet.attest(voter, state, hotkeys(subnet.voters))
    await subnet.end(state)
    for (const { hotkey } of subnet.voters)
      for (const epoch of [0, 1, 2, 3]) subnet.buckets.at(hotkey).files.delete(statePath(epoch))
    const found = (await subnet.recompute()).map(({ epoch, flaws }) => [
      epoch,
      flaws.map(({ validator, code }) => `${code} ${validator}`).sort(),
    ])
    const missing = (accounts: readonly Account[]) =>
      hotkeys(accounts)
        .map((hotkey) => `STATE_MISSING ${hotkey}`)
        .sort()
    // Anyone can compute state 0, so no one has to serve it. No one has attested state 3.
    expect(found).toEqual([
      [0, []],
      [1, missing([first, second, third])],
      [2, missing(attesting)],
    ])
    // With null no blocks are compared, and states only in the last epoch.
    const last = flawsOf(await subnet.recompute({ choose: null }))
    expect([...last].sort()).toEqual(missing(attesting))
  })

  test('ignores the wrong state of a voter that neither attests nor is due', async () => {
    const subnet = new ReadingSubnet([100, 100, 100])
    const [first, second, third] = subnet.voters as [Account, Account, Account]
    const begun = await subnet.begin()
    await subnet.sealAll(begun, [first, second])
    for (const voter of [first, second]) await subnet.attest(voter, begun, hotkeys([first, second]))
    await subnet.end(begun)
    const last = (await subnet.recompute()).at(-1)
    if (last === undefined) throw new Error('no second epoch')
    subnet.buckets.at(third.hotkey).files.set(statePath(last.state.epoch), RUBBISH)
    // The third voter's slot still contains its attestation of the previous epoch.
    for (const voter of [first, second]) await subnet.attest(voter, last.state, [])
    expect(await flawsAtEnd(subnet, last.state)).toEqual([])
  })

  test('names a voter with a wrong state also without a duel', async () => {
    const subnet = new ReadingSubnet([100, 100, 100], 1)
    const [, second] = subnet.voters as [Account, Account]
    const [stranger] = subnet.strangers as [Account]
    await subnet.commit(champion, { kind: 'miner', model: 'm', revision: 'r', chute: 'c' })
    const attestAll = async (state: State) => {
      for (const voter of [...subnet.voters, stranger]) await subnet.attest(voter, state, [])
      await subnet.end(state)
      const [last] = (await subnet.recompute()).slice(-1)
      if (last === undefined) throw new Error('no epoch has ended')
      return last
    }
    const crowned = await attestAll(firstState(subnet.network.protocol, 0))
    expect(crowned.state.duels).toEqual([])
    for (const { hotkey } of [second, stranger])
      subnet.buckets.at(hotkey).files.set(statePath(1), RUBBISH)
    const idle = await attestAll(crowned.state)
    expect([idle.epoch, flawsOf([idle])]).toEqual([1, [`STATE_DIFFERS ${second.hotkey}`]])
  })
})

// Protocol §6.4: a validator that announces an address is responsible for the files served there.
// Several may announce the same address, in any order. That a validator stores nothing itself is
// not detected (§11).
describe('shared-address', () => {
  const URL = 'https://bucket.example/v'
  /** Four voters. The first three announce one address; the last one has its own bucket. */
  class SharedAddress extends ReadingSubnet {
    readonly sharing: readonly Account[]
    readonly other: Account

    constructor() {
      super([100, 100, 100, 100])
      this.sharing = this.voters.slice(0, 3)
      this.other = this.voters[3] as Account
    }

    /**
     * Resolves with the flaws of an epoch in which all voters attest all lanes, except that the
     * third voter does not attest the last voter's lane. `spoil` changes the files at the shared
     * address; it gets the paths of the last voter's block and of a state.
     */
    async flaws(
      spoil: (files: Map<string, Uint8Array>, block: string, state: string) => void,
    ): Promise<readonly string[]> {
      const state = await this.begin()
      const { hash } = await this.lane(this.other, state)
      await this.sealAll(state)
      const { files } = this.buckets.at(URL)
      this.publish(state)
      for (const [path, bytes] of this.buckets.at(this.other.hotkey).files) files.set(path, bytes)
      spoil(files, blockPath(hash), statePath(state.epoch))
      const [first, second, third] = this.sharing as [Account, Account, Account]
      const all = hotkeys(this.voters)
      await this.attest(third, state, hotkeys(this.sharing), URL)
      await this.attest(this.other, state, all)
      for (const voter of [second, first]) await this.attest(voter, state, all, URL)
      await this.end(state)
      const epochs = await this.recompute({ from: state })
      const lanes = Object.values(epochs.at(-1)?.report.lanes ?? {})
      expect(lanes.map(({ accepted }) => accepted)).toEqual([true, true, true, true])
      return [...flawsOf(epochs)].sort()
    }
  }

  /** Returns a flaw with this code for each of these accounts. */
  const each = (code: string, accounts: readonly Account[]): readonly string[] =>
    hotkeys(accounts)
      .map((hotkey) => `${code} ${hotkey}`)
      .sort()

  test.each([
    ['nothing', 'COPY_MISSING', undefined],
    ['rubbish', 'BAD_LINES', RUBBISH],
  ])('names only the attesters of a lane for which the address serves %s', async (...row) => {
    const [, code, bytes] = row
    const subnet = new SharedAddress()
    const found = await subnet.flaws((files, block) => {
      if (bytes) files.set(block, bytes)
      else files.delete(block)
    })
    expect(found).toEqual(each(code, subnet.sharing.slice(0, 2)))
  })

  test('names only validators whose address serves rubbish for a state', async () => {
    const subnet = new SharedAddress()
    const found = await subnet.flaws((files, _, state) => files.set(state, RUBBISH))
    expect(found).toEqual(each('STATE_DIFFERS', subnet.sharing))
  })
})

// Protocol §5.2 and §8.1: a commitment applies to the hotkey of its slot. A copy of another
// validator's commitment names that validator's lane and secret. That it also names that
// validator's address is not detected (§11).
describe('replayed-commitment', () => {
  /** Commits the content of the slot of `from` in the slot of `to`. */
  async function copy(subnet: OneLiar, from: Account, to: Account): Promise<void> {
    const { commitments } = await subnet.chain.snapshot(subnet.chain.height)
    const slot = commitments.find(({ hotkey }) => hotkey === from.hotkey)
    const commitment = decodeCommitment(slot?.fields ?? [], from.hotkey)
    if (commitment === null) throw new Error('the slot is empty')
    await subnet.commit(to, commitment)
  }

  test('names the copier of an attestation one epoch later, when the copier’s lane is void', async () => {
    const subnet = new OneLiar()
    const { liar, honest } = subnet
    await subnet.playHonestly()
    await copy(subnet, honest[0], liar)
    const state = await subnet.state
    await subnet.end(state)
    const epoch = (await subnet.recompute()).at(-1)
    expect(flawsOf(epoch ? [epoch] : [])).toEqual([])

    // The copied commitment to a secret is bound to another hotkey, so the copier cannot reveal it.
    const next = epoch?.state as State
    const { flaws, report } = await subnet.play(next, {})
    expect(flaws).toMatchObject([{ validator: liar.hotkey, code: 'WRONG_SECRET' }])
    for (const { hotkey } of subnet.voters)
      expect(report.lanes[hotkey]?.accepted).toBe(hotkey !== liar.hotkey)
  })

  test('names the copier of a seal, since the lane is another validator’s', async () => {
    const subnet = new OneLiar()
    const { liar, honest } = subnet
    const state = await subnet.state
    const [first] = honest
    const block = await subnet.lane(first, state)
    await subnet.seal(first, state, block.hash)
    await copy(subnet, first, liar)
    await subnet.playHonestly()
    await subnet.attest(liar, state, hotkeys(subnet.voters))
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
      const epoch = (await subnet.recompute()).at(-1)
      expect(Object.keys(state.due)).toContain(liar.hotkey)
      expect(Object.keys(epoch?.state.due ?? {})).not.toContain(liar.hotkey)
    }
    expect((await replaying.outcome()).root).toBe((await silent.outcome()).root)
  })

  test('ignores a stranger’s copies of voters’ commitments', async () => {
    const [plain, copied] = [new OneLiar(network, 1), new OneLiar(network, 1)]
    for (const subnet of [plain, copied]) {
      const [stranger = subnet.liar] = subnet.strangers
      const state = await subnet.state
      const block = await subnet.lane(subnet.liar, state)
      subnet.put(block)
      await subnet.seal(subnet.liar, state, block.hash)
      if (subnet === copied) await copy(subnet, subnet.liar, stranger)
      await subnet.playHonestly()
      await subnet.attest(subnet.liar, state, hotkeys(subnet.voters))
      if (subnet === copied) await copy(subnet, subnet.honest[0], stranger)
    }
    const { flaws, root, accepted } = await copied.outcome()
    expect(flaws).toEqual([])
    expect(accepted).toEqual(new Set(hotkeys(copied.honest)))
    expect(root).toBe((await plain.outcome()).root)
  })
})
