import { expect, test } from 'vitest'
import { blockPath, statePath } from '../../packages/blocks/src/index.ts'
import type { Account } from '../../packages/chain/src/index.ts'
import type { State } from '../../packages/duel/src/index.ts'
import { accountOf, flawsOf, hotkeys, ReadingSubnet } from './reading-subnet.ts'

const RUBBISH = new TextEncoder().encode('rubbish')

/** Four voters; all but the last, who is alone, seal and attest each other's lanes. */
async function subnetOf() {
  const subnet = new ReadingSubnet([100, 100, 100, 10])
  const [first, second, third, alone] = subnet.voters as [Account, Account, Account, Account]
  const rest = [first, second, third]
  const state = await subnet.begin()
  await subnet.sealAll(state, rest)
  for (const voter of rest) await subnet.attest(voter, state, hotkeys(rest))
  return { subnet, state, first, second, rest, alone }
}

/** The flaws once the epoch has ended. */
async function flawsAtEnd(subnet: ReadingSubnet, state: State): Promise<readonly string[]> {
  await subnet.end(state)
  return flawsOf(await subnet.recompute())
}

test('who attests a lane that was never sealed is named', async () => {
  const { subnet, state, rest, alone } = await subnetOf()
  await subnet.attest(alone, state, [...hotkeys(rest), alone.hotkey])
  expect(await flawsAtEnd(subnet, state)).toEqual([`NEVER_SEALED ${alone.hotkey}`])
})

test('who attests without an address that can be opened, or with another’s, does not serve', async () => {
  for (const url of ['nowhere', 'another']) {
    const { subnet, state, first, rest, alone } = await subnetOf()
    const address = url === 'another' ? first.hotkey : url
    await subnet.attest(alone, state, hotkeys(rest), address)
    const flaws = await flawsAtEnd(subnet, state)
    expect(new Set(flaws)).toEqual(new Set([`COPY_MISSING ${alone.hotkey}`]))
    expect(flaws).toHaveLength(rest.length)
  }
})

test('an address belongs to who announced it first, however it is written', async () => {
  const subnet = new ReadingSubnet([100, 100, 100])
  const [first, second, third] = subnet.voters as [Account, Account, Account]
  const state = await subnet.begin()
  await subnet.sealAll(state)
  const [own, copied] = ['https://bucket.example', 'HTTPS://bucket.example/']
  for (const [path, bytes] of subnet.buckets.at(first.hotkey).files)
    for (const url of [own, copied]) subnet.buckets.at(url).files.set(path, bytes)
  await subnet.attest(second, state, hotkeys(subnet.voters), own)
  await subnet.attest(first, state, hotkeys(subnet.voters), copied)
  await subnet.attest(third, state, hotkeys(subnet.voters))
  expect(new Set(await flawsAtEnd(subnet, state))).toEqual(
    new Set([`COPY_MISSING ${first.hotkey}`]),
  )
})

test('who attests a lane that nobody has is named, and so is its validator', async () => {
  const subnet = new ReadingSubnet([100, 100, 100, 10])
  const started = await subnet.begin()
  const [a, b, c, d] = subnet.voters as [Account, Account, Account, Account]
  await subnet.seal(d, started, 'ab'.repeat(32))
  await subnet.sealAll(started, [a, b, c])
  for (const voter of [a, b, c]) await subnet.attest(voter, started, hotkeys([a, b, c]))
  await subnet.attest(d, started, [d.hotkey])
  expect(await flawsAtEnd(subnet, started)).toEqual([
    `MISSING_BLOCK ${d.hotkey}`,
    `COPY_MISSING ${d.hotkey}`,
  ])
})

test('who signed a header twice is blamed, not those who mirror the other copy', async () => {
  // The same header with another signature, and another header at the same height.
  for (const [nonce, time] of [
    [1, 0],
    [0, 1],
  ] as const) {
    const { subnet, state, first, second, alone } = await subnetOf()
    const read = await subnet.lane(first, state)
    const other = await subnet.lane(accountOf(1, nonce), state, { header: { time } })
    expect(other.bytes).not.toEqual(read.bytes)
    for (const { hotkey } of [second, alone])
      subnet.buckets.at(hotkey).files.set(blockPath(read.hash), other.bytes)
    await subnet.attest(alone, state, [first.hotkey])
    expect(await flawsAtEnd(subnet, state)).toEqual([`SIGNED_TWICE ${first.hotkey}`])
  }
})

test('the state that a stretch begins with is checked like any other, the first one too', async () => {
  const { subnet, state, second } = await subnetOf()
  subnet.buckets.at(second.hotkey).files.set(statePath(0), RUBBISH)
  expect(await flawsAtEnd(subnet, state)).toEqual([`STATE_DIFFERS ${second.hotkey}`])
  expect(flawsOf(await subnet.recompute({ from: state }))).toEqual([])
  subnet.buckets.at(second.hotkey).files.set(statePath(1), RUBBISH)
  expect(flawsOf(await subnet.recompute({ from: state }))).toEqual([
    `STATE_DIFFERS ${second.hotkey}`,
  ])
})

test('a voter that does not attest and is not due answers for nothing', async () => {
  const subnet = new ReadingSubnet([100, 100, 100])
  const [first, second, third] = subnet.voters as [Account, Account, Account]
  const begun = await subnet.begin()
  await subnet.sealAll(begun, [first, second])
  for (const voter of [first, second]) await subnet.attest(voter, begun, hotkeys([first, second]))
  subnet.buckets.at(third.hotkey).files.set(statePath(3), RUBBISH)
  await subnet.end(begun)
  const [, last] = await subnet.recompute()
  if (last === undefined) throw new Error('no second epoch')
  // Its attestation of the epoch before is still on chain.
  for (const voter of [first, second]) await subnet.attest(voter, last.state, [])
  expect(await flawsAtEnd(subnet, last.state)).toEqual([])
})
