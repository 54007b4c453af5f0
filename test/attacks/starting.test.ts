import { beforeEach, describe, expect, test } from 'vitest'
import { statePath } from '../../packages/blocks/src/index.ts'
import type { Account, Chain } from '../../packages/chain/src/index.ts'
import { encodeState, type State } from '../../packages/duel/src/index.ts'
import type { Setup } from '../../packages/engine/src/setup.ts'
import { findStartingState } from '../../packages/engine/src/validator.ts'
import { sealBlock, snapshotBlock } from '../../packages/settlement/src/index.ts'
import { changedSnapshots } from '../../packages/settlement/test/changed-snapshots.ts'
import { network, ReadingSubnet } from './reading-subnet.ts'

interface Own {
  /** The state in the validator's folder. `copy` is the state in its bucket. Default: none. */
  readonly stored?: State
  readonly copy?: State
  /** The validator's view of the chain. Default: the subnet's chain. */
  readonly chain?: Chain
}

/** Resolves with the state from which a validator of a subnet starts in an epoch. */
function startOf(subnet: ReadingSubnet, epoch: number, own: Own = {}): Promise<State> {
  const { network, buckets } = subnet
  const { stored, copy, chain = subnet.chain } = own
  const has = (state?: State) => ({
    read: async (path: string) =>
      state && path === statePath(state.epoch) ? Buffer.from(encodeState(state)) : null,
  })
  const places = { folder: '', store: has(stored), bucket: has(copy), openBucket: buckets.open }
  return findStartingState({ chain, network, ...places } as unknown as Setup, epoch)
}

// A new validator starts with the state that more than half of the stake attested. Protocol §9.4.
// Stake borrowed for one block must not count, and an absent validator must not prevent a majority.
describe('newcomer', () => {
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
    await subnet.attestAll(what, who, [])
    subnet.publish(what, who)
  }

  test.each([
    ['the end of the epoch', snapshotBlock(3, network.protocol)],
    ['its seal block', sealBlock(2, network.protocol)],
  ])('believes no state attested by stake borrowed only for %s', async (_, borrowedAt) => {
    await attest(state, honest)
    await attest({ ...state, ratio: state.ratio + 1 }, liar)
    await subnet.end(state)
    const chain = changedSnapshots(subnet.chain, ({ neurons }, block) => ({
      neurons: neurons.map((neuron) => {
        const isLent = block === borrowedAt && neuron.hotkey === liar[0]?.hotkey
        return isLent ? { ...neuron, stake: 100n * neuron.stake } : neuron
      }),
    }))
    expect(await startOf(subnet, 3, { chain })).toEqual(state)
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
})

describe('starting', () => {
  test('detects a flipped bit in a stored state by the bucket’s copy or by attestations', async () => {
    const subnet = new ReadingSubnet([10, 10, 10])
    const state = await subnet.begin()
    await subnet.sealAll(state)
    const flipped = { ...state, ratio: state.ratio ^ 1 }
    // No one has attested the state before the end of its epoch.
    expect(await startOf(subnet, 2, { stored: state, copy: state })).toEqual(state)
    expect(await startOf(subnet, 2, { stored: state })).toEqual(state)
    const wrong = { code: 'ALTERED_FILE', message: expect.stringContaining('v1/states/2.json') }
    await expect(startOf(subnet, 2, { stored: flipped, copy: state })).rejects.toMatchObject(wrong)
    await subnet.attestAll(state)
    await subnet.end(state)
    await expect(startOf(subnet, 3, { stored: flipped })).rejects.toMatchObject(wrong)
    await expect(startOf(subnet, 3, { stored: flipped, copy: state })).rejects.toMatchObject(wrong)
    expect(await startOf(subnet, 3, { stored: state, copy: flipped })).toEqual(state)
  })
})
