import { expect, test } from 'vitest'
import type { Account } from '../../packages/chain/src/index.ts'
import { firstState } from '../../packages/duel/src/index.ts'
import { OneLiar } from './one-liar.ts'
import { champion, contender, flawsOf, hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

// Protocol §5.2: each voter serves from a bucket of its own. An address is that of the hotkey that
// it is, else of who announced it first.
const URL = 'https://bucket.example/v'

/** All that a bucket holds is at this address as well. */
function serveAt(url: string, { buckets }: ReadingSubnet, { hotkey }: Account): void {
  for (const [path, bytes] of buckets.at(hotkey).files) buckets.at(url).files.set(path, bytes)
}

test('who announces a bucket that is named after another serves nothing, was it the first to', async () => {
  const subnet = new ReadingSubnet([100, 100, 100])
  const [first, second, liar] = subnet.voters as [Account, Account, Account]
  await subnet.attest(liar, firstState(network.protocol, 0), [], first.hotkey)
  const state = await subnet.begin([first, second])
  await subnet.sealAll(state)
  await subnet.attest(liar, state, hotkeys(subnet.voters), first.hotkey)
  for (const voter of [first, second]) await subnet.attest(voter, state, hotkeys(subnet.voters))
  await subnet.end(state)
  const epochs = await subnet.recompute()
  expect(flawsOf(epochs)).toEqual(subnet.voters.map(() => `COPY_MISSING ${liar.hotkey}`))
  const lanes = Object.values(epochs.at(-1)?.report.lanes ?? {})
  expect(lanes.map(({ accepted }) => accepted)).toEqual([true, true, true])
})

test.each([
  URL,
  'HTTPS://bucket.example/v/',
  'https://bucket.example./v',
  'https://bucket.example:443//v',
])('nor does who announces it later, however written: %s', async (written) => {
  const subnet = new OneLiar()
  const { liar, honest } = subnet
  const state = await subnet.state
  await subnet.sealAll(state)
  for (const url of [URL, written]) serveAt(url, subnet, honest[0])
  await subnet.attest(honest[0], state, hotkeys(subnet.voters), URL)
  for (const voter of honest.slice(1)) await subnet.attest(voter, state, hotkeys(subnet.voters))
  await subnet.attest(liar, state, hotkeys(subnet.voters), written)
  const { flaws } = await subnet.outcome()
  expect(flaws).toEqual(subnet.voters.map(() => `COPY_MISSING ${liar.hotkey}`))
})

test('a newcomer’s address is its own, though an old voter announces it before it in its first duel', async () => {
  const protocol = { ...network.protocol, duelEpochs: 1 }
  const subnet = new ReadingSubnet([100, 100, 100, 100], 0, { ...network, protocol })
  const [first, second, liar, newcomer] = subnet.voters as [Account, Account, Account, Account]
  const old = [first, second, liar]
  const state = await subnet.begin(old)
  // A duel ends, and the next one begins, in which the newcomer votes.
  await subnet.sealAll(state, old)
  await subnet.attest(newcomer, state, hotkeys(old), URL)
  for (const voter of old) await subnet.attest(voter, state, hotkeys(old))
  const text = { model: `m-${contender.hotkey}`, revision: 'new', chute: 'c' }
  await subnet.commit(contender, { kind: 'miner', ...text })
  await subnet.end(state)
  const [, epoch] = await subnet.recompute()
  const next = epoch?.state
  if (next?.duel === undefined) throw new Error('no second duel')
  expect(next.champion?.hotkey).toBe(champion.hotkey)
  expect(Object.keys(next.duel.weights).sort()).toEqual([...hotkeys(subnet.voters)].sort())

  await subnet.produceTo(subnet.chain.height + 1)
  await subnet.sealAll(next)
  serveAt(URL, subnet, newcomer)
  await subnet.attest(liar, next, hotkeys(subnet.voters), URL)
  await subnet.attest(newcomer, next, hotkeys(subnet.voters), URL)
  for (const voter of [first, second]) await subnet.attest(voter, next, hotkeys(subnet.voters))
  await subnet.end(next)
  const flaws = flawsOf(await subnet.recompute())
  expect(new Set(flaws)).toEqual(new Set([`COPY_MISSING ${liar.hotkey}`]))
})
