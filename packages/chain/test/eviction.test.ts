import { expect, test } from 'vitest'
import { account, LocalChain, type LocalOptions } from '../src/index.ts'
import { alice, bob, bytes, charlie, codeOf, miner, noLimits, stranger, subnet } from './subnet.ts'

const [OWNER, BOB, CHARLIE, MINER] = [0, 1, 2, 3]
const newcomers = Array.from({ length: 9 }, (_, i) => account(bytes(50 + i)))

/** A subnet whose four seats are taken: alice is its owner, and only `miner` has no stake. */
const full = (params: object = {}, options: Partial<LocalOptions> = {}): LocalChain =>
  subnet({
    params: { ...noLimits, maxUids: 4, immunityPeriod: 0, minNonImmuneUids: 0, ...params },
    ...options,
  })

/** Carries out calls in a block. */
async function inBlock(chain: LocalChain, ...calls: Promise<unknown>[]): Promise<void> {
  await Promise.all([...calls, chain.produce(0)])
}

const snapshotOf = (chain: LocalChain) => chain.snapshot(chain.height)

/** Registers newcomers, each in a block of its own. Returns whose uids they got. */
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

const voters = { alice, bob, charlie }
type Votes = Partial<Record<keyof typeof voters, number>>
/** Validators give all their weight to one uid each. */
const vote = (chain: LocalChain, votes: Votes) =>
  inBlock(
    chain,
    ...Object.entries(votes).map(([name, uid]) =>
      chain.setWeights(voters[name as keyof Votes], [[uid, 1]]),
    ),
  )

test('without weights, stake with a permit is what gives emission', async () => {
  // Each newcomer has none, and so is the next.
  expect(await evictedBy(full(), 3)).toEqual([MINER, MINER, MINER])
  expect(await evictedBy(full({ maxValidators: 2 }), 3)).toEqual([CHARLIE, MINER, CHARLIE])
  expect(await evictedBy(full({ maxUids: 3 }))).toEqual([MINER])
})

test.each<[string, Votes, number]>([
  // The champion has emission, and so have the validators that give it weight.
  ['more than half of the stake', { alice: MINER, bob: MINER }, CHARLIE],
  ['half of it', { alice: MINER }, BOB],
  ['less than half of it', { bob: MINER, charlie: OWNER }, MINER],
  // Alice's dividends come from her own weight, so that bob and charlie have none.
  ['itself, as the owner', { alice: OWNER }, BOB],
])('a neuron with weight from %s', async (_, votes, evicted) => {
  const chain = full()
  await vote(chain, votes)
  expect(await evictedBy(chain)).toEqual([evicted])
})

test('weight for itself gives no other neuron emission', async () => {
  const neurons = [stranger, alice, bob, miner].map(({ hotkey }, uid) => ({
    hotkey,
    stake: uid === 1 ? 9n : 0n,
  }))
  const chain = full({}, { neurons })
  await vote(chain, { alice: 1 })
  // Nothing has an incentive then: dividends go by stake.
  expect(await evictedBy(chain)).toEqual([2])
})

test('weights of 0, and of neurons without a permit, give nothing', async () => {
  const chain = full()
  await inBlock(
    chain,
    chain.setWeights(alice, [
      [MINER, 0],
      [CHARLIE, 5],
    ]),
    chain.setWeights(miner, [[MINER, 5]]),
  )
  expect(await evictedBy(chain)).toEqual([BOB])
})

test('of equal emission, the oldest registration is replaced, then the lowest uid', async () => {
  const neurons = [alice, bob, charlie, miner].map(({ hotkey }) => ({ hotkey, stake: 0n }))
  expect(await evictedBy(full({}, { neurons }), 5)).toEqual([1, 2, 3, 1, 2])
})

test('an immune neuron is replaced only while too few are not immune', async () => {
  const chain = full({ immunityPeriod: 3 })
  // In blocks 1 and 2 all are immune, and the least emission decides. From block 3 on those of the
  // start are not: bob and charlie have emission, and the newcomers have none.
  expect(await evictedBy(chain, 5)).toEqual([MINER, MINER, CHARLIE, BOB, MINER])
  const guarded = full({ immunityPeriod: 3, minNonImmuneUids: 1 })
  expect(await evictedBy(guarded, 5)).toEqual([MINER, MINER, CHARLIE, MINER, CHARLIE])
})

test('of as many that are not immune as have to stay, none is replaced', async () => {
  const chain = full({ immunityPeriod: 0, minNonImmuneUids: 3 })
  expect(await codeOf(chain.register(stranger))).toBe('NoNeuronIdAvailable')
  const one = subnet({ neurons: [], params: { ...noLimits, maxUids: 1 } })
  const sent = [stranger, alice].map((newcomer) => codeOf(one.register(newcomer)))
  await one.produce(0)
  expect(await Promise.all(sent)).toEqual(['', 'NoNeuronIdAvailable'])
})

test('the owner is who was registered first, and is never replaced', async () => {
  const empty = subnet({ neurons: [], params: { ...noLimits, maxUids: 2 } })
  expect((await snapshotOf(empty)).owner).toBeUndefined()
  await inBlock(empty, empty.register(miner))
  await inBlock(empty, empty.register(alice))
  for (const newcomer of newcomers.slice(0, 3)) {
    await inBlock(empty, empty.register(newcomer))
    const { owner, neurons } = await snapshotOf(empty)
    expect(owner).toBe(miner.hotkey)
    expect(neurons.map(({ hotkey }) => hotkey)).toEqual([miner.hotkey, newcomer.hotkey])
  }
})

test('what was evicted keeps its commitment, and loses permit, stake and weights', async () => {
  const chain = full()
  const row = [
    [OWNER, 65_535],
    [CHARLIE, 7],
  ] as const
  await inBlock(
    chain,
    chain.setWeights(alice, [[OWNER, 1]]),
    chain.setWeights(bob, row),
    chain.setWeights(charlie, [[BOB, 1]]),
    chain.commit(charlie, [bytes(7)]),
  )
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

test('a call that waits when its hotkey is evicted is left out, and the chain goes on', async () => {
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
