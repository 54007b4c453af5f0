import { expect, test } from 'vitest'
import { type Account, account, LocalChain, type LocalOptions } from '../src/index.ts'
import { alice, bob, bytes, charlie, codeOf, miner, noLimits, stranger, subnet } from './subnet.ts'

const [OWNER, BOB, CHARLIE, MINER] = [0, 1, 2, 3]
const newcomers = Array.from({ length: 9 }, (_, i) => account(bytes(50 + i)))

/** Returns a full subnet of four neurons: alice is its owner, and only `miner` has no stake. */
const full = (params: object = {}, options: Partial<LocalOptions> = {}): LocalChain => {
  const evicting = { ...noLimits, maxUids: 4, immunityPeriod: 0, minNonImmuneUids: 0 }
  return subnet({ params: { ...evicting, ...params }, ...options })
}

/** Makes a block that includes the calls. */
async function inBlock(chain: LocalChain, ...calls: Promise<unknown>[]): Promise<void> {
  await Promise.all([...calls, chain.produce(0)])
}

const snapshotOf = (chain: LocalChain) => chain.snapshot(chain.height)

/** Registers newcomers in one block each. Returns the uids that they got. */
async function evictedBy(chain: LocalChain, count = 1): Promise<number[]> {
  const uids: number[] = []
  for (let i = 0; i < count; i++) {
    const newcomer = newcomers[i]!
    await inBlock(chain, chain.register(newcomer))
    const { neurons } = await snapshotOf(chain)
    expect(neurons.map(({ uid }) => uid)).toEqual([0, 1, 2, 3])
    uids.push(neurons.find(({ hotkey }) => hotkey === newcomer.hotkey)!.uid)
  }
  return uids
}

/** Sets all weight of each voter to one uid. */
const vote = (chain: LocalChain, ...votes: readonly Vote[]) =>
  inBlock(chain, ...votes.map(([voter, uid]) => chain.setWeights(voter, [[uid, 1]])))
type Vote = readonly [voter: Account, uid: number]

test('gives emission by stake to neurons with a permit if there are no weights', async () => {
  // A newcomer has no emission, and is evicted next.
  expect(await evictedBy(full(), 3)).toEqual([MINER, MINER, MINER])
  expect(await evictedBy(full({ maxValidators: 2 }), 3)).toEqual([CHARLIE, MINER, CHARLIE])
  expect(await evictedBy(full({ maxUids: 3 }))).toEqual([MINER])
})

test.each<[string, Vote[], number]>([
  // If half of the stake gives weight to the miner, the miner and these voters have emission.
  ['more than half of the stake', [alice, bob].map((voter) => [voter, MINER]), CHARLIE],
  ['half of the stake', [[alice, MINER]], BOB],
  ['less than half of the stake', [[bob, MINER]], MINER],
  // Alice's dividends come from her own weight, so bob and charlie have no emission.
  ['the owner for itself', [[alice, OWNER]], BOB],
])('evicts the neuron with the least emission, given weight from %s', async (_, votes, evicted) => {
  const chain = full()
  await vote(chain, ...votes)
  expect(await evictedBy(chain)).toEqual([evicted])
})

test('gives no emission for a neuron’s weight for itself, unless it is the owner', async () => {
  const stakes = [0n, 9n, 5n, 0n]
  const neurons = [stranger, alice, bob, miner].map(({ hotkey }, uid) => {
    return { hotkey, stake: stakes[uid] ?? 0n }
  })
  const chain = full({}, { neurons })
  await vote(chain, [alice, 1])
  // Without an incentive, dividends are by stake, so bob has some.
  expect(await evictedBy(chain)).toEqual([3])
})

test('gives no emission for weights of 0 or of neurons without a permit', async () => {
  const chain = full()
  const byAlice = chain.setWeights(alice, [[MINER, 0]])
  await inBlock(chain, byAlice, chain.setWeights(miner, [[MINER, 5]]))
  expect(await evictedBy(chain)).toEqual([MINER])
})

test('replaces an immune neuron only if too few neurons are not immune', async () => {
  const chain = full({ immunityPeriod: 3 })
  // In blocks 1 and 2 all neurons are immune, and the least emission decides. From block 3 on the
  // first neurons are not immune: bob and charlie have emission, and the newcomers have none.
  expect(await evictedBy(chain, 5)).toEqual([MINER, MINER, CHARLIE, BOB, MINER])
  const guarded = full({ immunityPeriod: 3, minNonImmuneUids: 1 })
  expect(await evictedBy(guarded, 5)).toEqual([MINER, MINER, CHARLIE, MINER, CHARLIE])
})

test('replaces no neuron if none is immune and at most minNonImmuneUids exist besides the owner', async () => {
  const chain = full({ immunityPeriod: 0, minNonImmuneUids: 3 })
  expect(await codeOf(chain.register(stranger))).toBe('NoNeuronIdAvailable')
  const one = subnet({ neurons: [], params: { ...noLimits, maxUids: 1 } })
  const sent = [stranger, alice].map((newcomer) => codeOf(one.register(newcomer)))
  await one.produce(0)
  expect(await Promise.all(sent)).toEqual(['', 'NoNeuronIdAvailable'])
})

test('removes the permit, stake and weights of an evicted neuron, but not its commitment', async () => {
  const chain = full()
  const row = [
    [OWNER, 65_535],
    [CHARLIE, 7],
  ] as const
  const sent = [chain.setWeights(bob, row), chain.commit(charlie, [bytes(7)])]
  await Promise.all([...sent, vote(chain, [alice, OWNER], [charlie, BOB])])
  await inBlock(chain, chain.register(stranger))
  const { neurons, commitments } = await snapshotOf(chain)
  const seat = { stake: 0n, permit: false, registered: 2, lastUpdate: 2 }
  expect(neurons[CHARLIE]).toEqual({ uid: CHARLIE, hotkey: stranger.hotkey, ...seat })
  expect(commitments).toEqual([{ hotkey: charlie.hotkey, block: 1, fields: [bytes(7)] }])
  expect(await chain.weights(2)).toEqual({
    [alice.hotkey]: [[OWNER, 1]],
    [bob.hotkey]: [
      [OWNER, 65_535],
      [CHARLIE, 0],
    ],
  })
  await inBlock(chain, chain.register(charlie))
  const again = { uid: MINER, hotkey: charlie.hotkey, stake: 0n, permit: false }
  expect((await snapshotOf(chain)).neurons[MINER]).toMatchObject(again)
})

test('leaves out a waiting call whose hotkey is evicted', async () => {
  // The registration comes before the call in the block.
  const newcomer = newcomers.find(({ hotkey }) => hotkey < miner.hotkey)!
  const chain = full()
  const sent = codeOf(chain.commit(miner, [bytes(7)], 2))
  await inBlock(chain, chain.register(newcomer))
  const { neurons, commitments } = await snapshotOf(chain)
  expect([neurons[MINER]?.hotkey, commitments]).toEqual([newcomer.hotkey, []])
  expect(await codeOf(chain.commit(miner, [bytes(9)]))).toBe('AccountNotAllowedCommit')
  await chain.produce(0)
  expect(await sent).toBe('AncientBirthBlock')
  expect(LocalChain.import(chain.export()).export()).toBe(chain.export())
})
