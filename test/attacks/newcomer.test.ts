/*
 * A new validator starts with the state that more than half of the stake attested. Protocol §9.4.
 * Stake borrowed for one block must not count, and an absent validator must not prevent a majority.
 */
import { beforeEach, expect, test } from 'vitest'
import type { Account } from '../../packages/chain/src/index.ts'
import type { State } from '../../packages/duel/src/index.ts'
import { sealBlock, snapshotBlock } from '../../packages/settlement/src/index.ts'
import { network, ReadingSubnet } from './reading-subnet.ts'
import { startOf } from './start-of.ts'

let subnet: ReadingSubnet
let state: State
let honest: readonly Account[]
let liar: readonly Account[]
beforeEach(async () => {
  subnet = new ReadingSubnet([10, 10, 10, 11])
  state = await subnet.begin()
  honest = subnet.voters.slice(0, 3)
  liar = subnet.voters.slice(3)
})

/** Lets validators attest a state that they serve. */
async function attest(what: State, who: readonly Account[]): Promise<void> {
  for (const each of who) await subnet.attest(each, what, [])
  subnet.publish(what, who)
}

test.each([
  ['the end of the epoch', snapshotBlock(3, network.protocol)],
  ['its seal block', sealBlock(2, network.protocol)],
])('believes no state attested by stake borrowed only for %s', async (_, borrowedAt) => {
  const forged = { ...state, ratio: state.ratio + 1 }
  await attest(state, honest)
  await attest(forged, liar)
  await subnet.end(state)
  const snapshot = async (block: number) => {
    const seen = await subnet.chain.snapshot(block)
    if (block !== borrowedAt) return seen
    const isLiar = (hotkey: string) => hotkey === liar[0]?.hotkey
    const lent = seen.neurons.map((neuron) =>
      isLiar(neuron.hotkey) ? { ...neuron, stake: 100n * neuron.stake } : neuron,
    )
    return { ...seen, neurons: lent }
  }
  expect(await startOf(subnet, 3, { snapshot })).toEqual(state)
})

test('starts with the newest state with a majority if the last epoch had none', async () => {
  await attest(state, subnet.voters)
  await subnet.end(state)
  const next = { ...state, epoch: 3 }
  // One honest validator is absent.
  await attest(next, honest.slice(1))
  await attest({ ...next, ratio: next.ratio + 1 }, liar)
  await subnet.end(next)
  expect(await startOf(subnet, 4)).toEqual(state)
})
