import { expect, test } from 'vitest'
import { blockPath, OWNER_PATH, statePath } from '../../packages/blocks/src/index.ts'
import type { Account } from '../../packages/chain/src/index.ts'
import { firstState } from '../../packages/duel/src/index.ts'
import { flawsOf, hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

// Protocol §6.4: an address is its hotkey's if the bucket there says so; no order on chain matters.
// Before, it was the hotkey's that had announced it first, and in one block the heavier one's: a
// thief that announced a victim's address a block earlier had the victim blamed, for each lane that
// it attested, in every epoch.
const URL = 'https://bucket.example/v'

type Order = 'first' | 'later' | 'one block'

/** Three voters, one of which is a thief: its bucket is the victim's. */
class Theft extends ReadingSubnet {
  readonly victim: Account
  readonly other: Account
  readonly thief: Account

  constructor(thiefsStake = 100) {
    super([100, 100, thiefsStake])
    const [victim, other, thief] = this.voters as [Account, Account, Account]
    this.victim = victim
    this.other = other
    this.thief = thief
  }

  /** All that the victim serves is at this address. */
  serveAt(url: string): void {
    const { files } = this.buckets.at(url)
    for (const [path, bytes] of this.buckets.at(this.victim.hotkey).files) files.set(path, bytes)
  }

  /** An epoch in which all attest all, the victim and the thief at this address in this order. */
  async steal(order: Order, written = URL, isSigned = false): Promise<readonly string[]> {
    const state = await this.begin()
    await this.sealAll(state)
    await this.own(this.victim, URL)
    const owner = this.buckets.at(URL).files.get(OWNER_PATH)
    for (const url of [URL, written]) {
      this.serveAt(url)
      if (owner) this.buckets.at(url).files.set(OWNER_PATH, owner)
    }
    if (isSigned) await this.own(this.thief, written)
    const all = hotkeys(this.voters)
    const theft = () => this.attest(this.thief, state, all, written)
    const attest = () => this.attest(this.victim, state, all, URL)
    if (order === 'one block') await this.together([theft, attest])
    else for (const act of order === 'first' ? [theft, attest] : [attest, theft]) await act()
    await this.attest(this.other, state, all)
    await this.end(state)
    const epochs = await this.recompute({ from: state })
    const lanes = Object.values(epochs.at(-1)?.report.lanes ?? {})
    expect(lanes.map(({ accepted }) => accepted)).toEqual([true, true, true])
    return flawsOf(epochs)
  }
}

test.each(['first', 'later', 'one block'] as const)(
  'a thief announces another’s address %s: it serves nothing, and the victim is not blamed',
  async (order) => {
    for (const stake of [1, 100, 140]) {
      const subnet = new Theft(stake)
      const blamed = subnet.voters.map(() => `COPY_MISSING ${subnet.thief.hotkey}`)
      expect(await subnet.steal(order)).toEqual(blamed)
    }
  },
)

test.each([
  'HTTPS://bucket.example/v/',
  'https://bucket.example./v',
  'https://bucket.example:443//v',
  'https://proxy.example/v',
])('nor does it by another spelling, or a proxy: %s', async (written) => {
  const subnet = new Theft()
  const blamed = subnet.voters.map(() => `COPY_MISSING ${subnet.thief.hotkey}`)
  expect(await subnet.steal('first', written)).toEqual(blamed)
})

test('a thief that announces an address epochs before its owner has not got it', async () => {
  const subnet = new Theft()
  const { thief, victim, other } = subnet
  await subnet.attest(thief, firstState(network.protocol, 0), [], victim.hotkey)
  const state = await subnet.begin([victim, other])
  await subnet.sealAll(state)
  await subnet.attest(thief, state, hotkeys(subnet.voters), victim.hotkey)
  for (const voter of [victim, other]) await subnet.attest(voter, state, hotkeys(subnet.voters))
  await subnet.end(state)
  const flaws = flawsOf(await subnet.recompute())
  expect(flaws).toEqual(subnet.voters.map(() => `COPY_MISSING ${thief.hotkey}`))
})

/** What a voter is blamed for whose bucket has rubbish for a lane, and for its state. */
async function flawsOfRubbish(owner: 'itself' | 'nobody' | 'elsewhere', isThere = true) {
  const subnet = new Theft()
  const { victim: voter, other } = subnet
  const state = await subnet.begin()
  const block = await subnet.lane(other, state)
  await subnet.sealAll(state)
  const { files } = subnet.buckets.at(voter.hotkey)
  const rubbish = new TextEncoder().encode('rubbish')
  if (isThere) files.set(blockPath(block.hash), rubbish)
  else files.delete(blockPath(block.hash))
  files.set(statePath(state.epoch + 1), rubbish)
  if (owner === 'nobody') files.delete(OWNER_PATH)
  if (owner === 'elsewhere') {
    await subnet.own(voter, 'elsewhere')
    files.set(OWNER_PATH, subnet.buckets.at('elsewhere').files.get(OWNER_PATH) ?? rubbish)
  }
  for (const each of subnet.voters) await subnet.attest(each, state, hotkeys(subnet.voters))
  await subnet.end(state)
  const flaws = flawsOf(await subnet.recompute({ from: state }))
  expect(flaws.every((flaw) => flaw.endsWith(voter.hotkey))).toBe(true)
  return flaws.map((flaw) => flaw.split(' ')[0]).sort()
}

test('whoever says that a bucket is its own answers for all that is in it', async () => {
  expect(await flawsOfRubbish('itself')).toEqual(['BAD_LINES', 'STATE_DIFFERS'])
})

test.each(['nobody', 'elsewhere'] as const)(
  'one that says so of %s is blamed for nothing but what it does not serve',
  async (owner) => {
    expect(await flawsOfRubbish(owner)).toEqual(['COPY_MISSING'])
    expect(await flawsOfRubbish(owner, false)).toEqual(['COPY_MISSING'])
  },
)

test('blocks are read from a bucket that does not say whose it is', async () => {
  const subnet = new Theft()
  const state = await subnet.begin()
  for (const { hotkey } of subnet.voters) subnet.buckets.at(hotkey).files.delete(OWNER_PATH)
  await subnet.sealAll(state)
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  await subnet.end(state)
  const epochs = await subnet.recompute({ from: state })
  expect(flawsOf(epochs)).toEqual([])
  const { lanes = {} } = epochs.at(-1)?.report ?? {}
  expect(Object.values(lanes).every(({ accepted }) => accepted)).toBe(true)
})

test('a proxy that signs a file of its own is not found out', async () => {
  const proxy = 'https://proxy.example/t'
  const subnet = new Theft()
  expect(await subnet.steal('first', proxy, true)).toEqual([])
})
