import { expect, test } from 'vitest'
import { statePath } from '../../packages/blocks/src/index.ts'
import type { Account } from '../../packages/chain/src/index.ts'
import { firstState, type State } from '../../packages/duel/src/index.ts'
import { champion, flawsOf, hotkeys, ReadingSubnet } from './reading-subnet.ts'

const RUBBISH = new TextEncoder().encode('rubbish')

/** The flaws once the epoch has ended. */
async function flawsAtEnd(subnet: ReadingSubnet, state: State): Promise<readonly string[]> {
  await subnet.end(state)
  return flawsOf(await subnet.recompute())
}

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

test('a state is compared with the epoch that it comes of, that of the second epoch with its own', async () => {
  const subnet = new ReadingSubnet([100, 100, 100])
  const [, second] = subnet.voters as [Account, Account]
  const state = await subnet.begin()
  await subnet.sealAll(state)
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  subnet.buckets.at(second.hotkey).files.set(statePath(1), RUBBISH)
  expect(await flawsAtEnd(subnet, state)).toEqual([`STATE_DIFFERS ${second.hotkey}`])
  expect(flawsOf(await subnet.recompute({ from: state }))).toEqual([])
  subnet.buckets.at(second.hotkey).files.set(statePath(2), RUBBISH)
  expect(flawsOf(await subnet.recompute({ from: state }))).toEqual([])
  expect(flawsOf(await subnet.recompute({ to: 1 }))).toEqual([
    `STATE_DIFFERS ${second.hotkey}`,
    `STATE_DIFFERS ${second.hotkey}`,
  ])
})

test('a voter that does not attest and is not due answers for nothing', async () => {
  const subnet = new ReadingSubnet([100, 100, 100])
  const [first, second, third] = subnet.voters as [Account, Account, Account]
  const begun = await subnet.begin()
  await subnet.sealAll(begun, [first, second])
  for (const voter of [first, second]) await subnet.attest(voter, begun, hotkeys([first, second]))
  subnet.buckets.at(third.hotkey).files.set(statePath(4), RUBBISH)
  await subnet.end(begun)
  const last = (await subnet.recompute()).at(-1)
  if (last === undefined) throw new Error('no second epoch')
  // Its attestation of the epoch before is still on chain.
  for (const voter of [first, second]) await subnet.attest(voter, last.state, [])
  expect(await flawsAtEnd(subnet, last.state)).toEqual([])
})

test('where no duel runs, voters answer for their states', async () => {
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
    subnet.buckets.at(hotkey).files.set(statePath(2), RUBBISH)
  const idle = await attestAll(crowned.state)
  expect([idle.epoch, flawsOf([idle])]).toEqual([1, [`STATE_DIFFERS ${second.hotkey}`]])
})
