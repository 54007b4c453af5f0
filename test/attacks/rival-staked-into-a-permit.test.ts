/*
 * A rival stakes on a miner until it has a permit, to have it taken for a validator. Protocol §8.11:
 * a permit keeps nobody out of the queue, and a slot that holds a miner's commitment is no voter's.
 */
import { expect, test } from 'vitest'
import { encodeCommitment, LocalChain } from '../../packages/chain/src/index.ts'
import { encodeBitmap, firstState, stateRoot } from '../../packages/duel/src/index.ts'
import { decideEpoch, snapshotBlock } from '../../packages/settlement/src/index.ts'
import { accountOf, network } from './reading-subnet.ts'

const { protocol } = network
const STAKE = 1_000_000_000_000n
const voters = [1, 2, 3].map((scalar) => accountOf(scalar))
const [king, staked] = [accountOf(11), accountOf(12)] as const

/** A chain at the end of its first epoch: the rival's stake is more than all voters'. */
async function chainOf() {
  let drawn = 0
  const chain = LocalChain.create({
    netuid: 120,
    random: () => new Uint8Array(32).fill(drawn++),
    neurons: [...voters, king, staked].map(({ hotkey }) => ({
      hotkey,
      stake: hotkey === staked.hotkey ? 10n * STAKE : STAKE,
    })),
    params: { tempo: protocol.epochBlocks },
  })
  const state = firstState(protocol, 0)
  const bitmap = encodeBitmap({ weights: {} }, new Set())
  const attest = { kind: 'attest', epoch: 0, bitmap, next: 'c'.repeat(64) } as const
  for (const miner of [king, staked]) {
    const said = { model: `m-${miner.hotkey}`, revision: 'r', chute: 'c' }
    const included = chain.commit(miner, encodeCommitment({ kind: 'miner', ...said }))
    await chain.produce(0)
    await included
  }
  for (const voter of voters) {
    const said = { ...attest, stateRoot: stateRoot(state), url: voter.hotkey }
    const included = chain.commit(voter, encodeCommitment(said))
    await chain.produce(0)
    await included
  }
  while (chain.height < snapshotBlock(1, protocol)) await chain.produce(0)
  return { chain, state }
}

test('it contends all the same, and has no vote in any duel', async () => {
  const { chain, state } = await chainOf()
  const seen = await chain.snapshot(snapshotBlock(1, protocol))
  expect(seen.neurons.find(({ hotkey }) => hotkey === staked.hotkey)?.permit).toBe(true)
  const find = () => Promise.reject(new Error('nobody was due'))
  const { champion, duel, due } = (await decideEpoch({ chain, network }, state, find)).state
  expect([champion?.hotkey, duel?.contender.hotkey]).toEqual([king.hotkey, staked.hotkey])
  const ascending = voters.map(({ hotkey }) => hotkey).sort()
  expect(Object.keys(duel?.weights ?? {}).sort()).toEqual(ascending)
  expect(Object.keys(due).sort()).toEqual(ascending)
  expect(new Set(Object.values(duel?.weights ?? {}))).toEqual(new Set([1_000_000]))
})
