import { expect, test } from 'vitest'
import { blockPath, statePath } from '../../packages/blocks/src/index.ts'
import type { Account } from '../../packages/chain/src/index.ts'
import { flawsOf, hotkeys, ReadingSubnet } from './reading-subnet.ts'

// Protocol §6.4: whoever announces an address answers for what is served there, and several may
// announce the same, in any order. That only one of them pays for it is not found out (§11).
const URL = 'https://bucket.example/v'
const RUBBISH = new TextEncoder().encode('rubbish')

/** The first three of four voters announce one address; the last has a bucket of its own. */
class SharedAddress extends ReadingSubnet {
  readonly sharing: readonly Account[]
  readonly other: Account

  constructor() {
    super([100, 100, 100, 100])
    this.sharing = this.voters.slice(0, 3)
    this.other = this.voters[3] as Account
  }

  /**
   * What is found in an epoch in which all attest all, but for the third, which does not attest the
   * other's lane. `spoil` has what the address serves, and the paths of that lane and of a state.
   */
  async flaws(
    spoil: (files: Map<string, Uint8Array>, block: string, state: string) => void,
  ): Promise<readonly string[]> {
    const state = await this.begin()
    const { hash } = await this.lane(this.other, state)
    await this.sealAll(state)
    const { files } = this.buckets.at(URL)
    for (const [path, bytes] of this.buckets.at(this.other.hotkey).files) files.set(path, bytes)
    spoil(files, blockPath(hash), statePath(state.epoch + 1))
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

/** These flaws of each of these. */
const each = (code: string, accounts: readonly Account[]): readonly string[] =>
  hotkeys(accounts)
    .map((hotkey) => `${code} ${hotkey}`)
    .sort()

test('several announce one address, at which all is: nobody is named', async () => {
  expect(await new SharedAddress().flaws(() => {})).toEqual([])
})

test.each([
  ['nothing', 'COPY_MISSING', undefined],
  ['rubbish', 'BAD_LINES', RUBBISH],
])('it has %s for a lane: each that attested it is named, and nobody else', async (...row) => {
  const [, code, bytes] = row
  const subnet = new SharedAddress()
  const found = await subnet.flaws((files, block) => {
    if (bytes) files.set(block, bytes)
    else files.delete(block)
  })
  expect(found).toEqual(each(code, subnet.sharing.slice(0, 2)))
})

test('it has rubbish for a state: each that announces it is named, and nobody else', async () => {
  const subnet = new SharedAddress()
  const found = await subnet.flaws((files, _, state) => files.set(state, RUBBISH))
  expect(found).toEqual(each('STATE_DIFFERS', subnet.sharing))
})
