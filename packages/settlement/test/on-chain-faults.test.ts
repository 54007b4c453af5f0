import type { Account, Commitment, Snapshot, UidWeights } from '@affine/chain'
import { encodeBitmap, stateRoot } from '@affine/duel'
import { make } from '@affine/envs'
import { expect, test } from 'vitest'
import {
  FIRST_DUEL,
  hotkeys,
  network,
  ReadingSubnet,
} from '../../../test/attacks/reading-subnet.ts'
import { withQuota } from '../../duel/test/subnet.ts'
import { snapshotBlock } from '../src/on-chain.ts'
import type { RecomputedEpoch } from '../src/recompute.ts'
import { changedSnapshots } from './changed-snapshots.ts'

const { protocol } = network
const NEXT = 'cd'.repeat(32)
/** Uids: the four voters have 0 to 3, and voter 0 is also the subnet's owner. */
const [OWNER, CHAMPION, CONTENDER] = [0, 4, 5]

const flawsIn = (epochs: readonly RecomputedEpoch[]) => epochs.flatMap(({ flaws }) => flaws)

const warningsIn = (epochs: readonly RecomputedEpoch[]): readonly string[] =>
  epochs.flatMap(({ warnings }) =>
    warnings.map(({ epoch, validator, code, detail }) => `${epoch} ${code} ${validator} ${detail}`),
  )

/**
 * Returns the flaws and warnings of an epoch in which three voters attest all sealed lanes. The
 * fourth voter sends an attestation with the fields of `attestation`, and seals if `isSealing`.
 */
async function recomputeEpoch(attestation: Partial<Commitment>, isSealing = true) {
  const subnet = new ReadingSubnet([10, 10, 10, 1], 1)
  const state = await subnet.begin()
  const { voters } = subnet
  const [honest, liar] = [voters.slice(0, 3), voters[3] as Account]
  const sealing = isSealing ? voters : honest
  await subnet.sealAll(state, sealing)
  for (const voter of honest) await subnet.attest(voter, state, hotkeys(sealing))
  subnet.publish(state, [liar])
  await subnet.commit(liar, {
    kind: 'attest',
    epoch: state.epoch,
    bitmap: encodeBitmap(state.voters, new Set(hotkeys(voters))),
    next: NEXT,
    stateRoot: stateRoot(state),
    url: liar.hotkey,
    ...attestation,
  } as Commitment)
  await subnet.end(state)
  const epochs = await subnet.recompute()
  return { flaws: flawsIn(epochs), warnings: warningsIn(epochs), liar: liar.hotkey, state }
}

/** Returns an attestation with the bits of the voters at these indices. */
const bitsOf = (...indices: readonly number[]) => {
  const bitmap = new Uint8Array(protocol.validatorsMost / 8)
  for (const i of indices) bitmap[i >> 3] = 1 << (i & 7)
  return { bitmap }
}

test('reports an attestation of another root with both roots, and not its missing bits', async () => {
  const { flaws, warnings, liar, state } = await recomputeEpoch({ stateRoot: NEXT, ...bitsOf() })
  const detail = expect.stringContaining(`expected ${stateRoot(state)}, got ${NEXT}; `)
  expect(flaws).toEqual([{ epoch: 2, validator: liar, code: 'WRONG_ROOT_ATTESTED', detail }])
  expect(warnings).toEqual([])
})

test('ignores an attestation of another epoch', async () => {
  const other = { epoch: 3, stateRoot: NEXT, ...bitsOf() }
  expect(await recomputeEpoch(other)).toMatchObject({ flaws: [], warnings: [] })
})

test.each([
  ['the first spare bit', bitsOf(4), true],
  ['the last bit', bitsOf(127), true],
  ['the bit of a voter without a seal', {}, false],
])('reports who attests a lane that was never sealed: %s', async (_, attestation, isSealing) => {
  const { flaws, liar } = await recomputeEpoch(attestation, isSealing)
  expect(flaws).toMatchObject([{ epoch: 2, validator: liar, code: 'NEVER_SEALED' }])
})

/**
 * Returns four voters, and the state of an epoch in which the voters at the indices `sealing`
 * (default: all) seal valid lanes, and the others seal heads of lanes that do not exist.
 */
async function startSealed(sealing: readonly number[] = [0, 1, 2, 3]) {
  const subnet = new ReadingSubnet([100, 100, 100, 10])
  const voters = subnet.voters as [Account, Account, Account, Account]
  const state = await subnet.begin()
  /**
   * Sends an attestation of each voter: of all lanes except those that `lacking` lists for the
   * voter.
   */
  const attestBut = async (lacking: Readonly<Record<string, readonly string[]>>): Promise<void> => {
    for (const voter of voters) {
      const without = lacking[voter.hotkey] ?? []
      const whole = hotkeys(voters).filter((hotkey) => !without.includes(hotkey))
      await subnet.attest(voter, state, whole)
    }
    await subnet.end(state)
  }
  const honest = voters.filter((_, i) => sealing.includes(i))
  for (const voter of voters)
    if (!honest.includes(voter)) await subnet.seal(voter, state, 'ab'.repeat(32))
  await subnet.sealAll(state, honest)
  return { subnet, voters, state, attestBut }
}

test('warns of missing bits of valid lanes that others attest', async () => {
  const { subnet, voters, attestBut } = await startSealed()
  const [first, , third, light] = voters
  const lacking = [...hotkeys([first, light])].sort()
  await attestBut({ [third.hotkey]: lacking })
  const epochs = await subnet.recompute()
  expect(flawsIn(epochs)).toEqual([])
  const warning = `^${FIRST_DUEL} BITS_WITHHELD ${third.hotkey} 2 .*: ${lacking.join(', ')}$`
  expect(warningsIn(epochs)).toEqual([expect.stringMatching(warning)])
  expect(warningsIn(await subnet.recompute({ compare: false }))).toEqual([])
})

test('does not warn of a lane that only its validator attests', async () => {
  const { subnet, voters, attestBut } = await startSealed()
  const [first, second, third, { hotkey }] = voters
  const all = hotkeys([first, second, third]).map((voter) => [voter, [hotkey]])
  await attestBut(Object.fromEntries(all))
  expect(warningsIn(await subnet.recompute())).toEqual([])
})

test('does not warn of a lane that no bucket has, and reports its attesters', async () => {
  const { subnet, voters, attestBut } = await startSealed([0, 1, 2])
  const [first, second, third, { hotkey }] = voters
  await attestBut({ [second.hotkey]: [hotkey], [third.hotkey]: [hotkey] })
  const epochs = await subnet.recompute()
  expect(warningsIn(epochs)).toEqual([])
  const detail = expect.stringContaining(hotkey)
  const flaws = [first.hotkey, hotkey]
    .sort()
    .map((validator) => ({ epoch: FIRST_DUEL, validator, code: 'COPY_MISSING', detail }))
  expect(flawsIn(epochs).filter(({ code }) => code !== 'MISSING_BLOCK')).toEqual(flaws)
})

async function setWeights(
  { chain }: ReadingSubnet,
  rows: readonly (readonly [Account, UidWeights])[],
): Promise<void> {
  const sent = rows.map(([voter, weights]) => chain.setWeights(voter, weights))
  await chain.produce(0)
  await Promise.all(sent)
}

test('warns of a validator that gives weight to a miner other than the champion', async () => {
  const { subnet, voters, attestBut } = await startSealed()
  const [first, second, third] = voters
  const toBoth = (one: number, other: number): UidWeights => [
    [CHAMPION, one],
    [CONTENDER, other],
  ]
  await setWeights(subnet, [
    [first, toBoth(7, 0)],
    [second, toBoth(65_535, 1)],
    [third, [[CONTENDER, 65_535]]],
  ])
  await attestBut({})
  const epochs = await subnet.recompute()
  expect(flawsIn(epochs)).toEqual([])
  const start = `^${FIRST_DUEL} OTHER_WEIGHTS`
  expect(warningsIn(epochs)).toEqual([
    expect.stringMatching(`${start} ${second.hotkey} .* 65535 .* ${CHAMPION}, 1 .* ${CONTENDER}$`),
    expect.stringMatching(`${start} ${third.hotkey} .* ${CHAMPION}, got 65535 .* ${CONTENDER}$`),
  ])
  expect(epochs.at(-1)?.votes).toMatchObject({ uid: CHAMPION, validators: 3, agreeing: 1 })
  expect(warningsIn(await subnet.recompute({ compare: false }))).toEqual([])
})

test('expects all weight for the subnet’s owner if the champion is not registered', async () => {
  const { subnet, voters, state, attestBut } = await startSealed()
  const [first, second] = voters
  await setWeights(subnet, [
    [first, [[OWNER, 65_535]]],
    [second, [[CHAMPION, 65_535]]],
  ])
  await attestBut({})
  const seen = async (change: (snapshot: Snapshot, block: number) => Partial<Snapshot>) => {
    const chain = changedSnapshots(subnet.chain, change)
    const [epoch] = await subnet.recompute({ chain, from: state })
    if (epoch === undefined) throw new Error('no epoch')
    return epoch
  }
  const others = ({ neurons }: Snapshot) => neurons.filter(({ uid }) => uid !== CHAMPION)
  const without = await seen((snapshot) => ({ neurons: others(snapshot) }))
  const wrong = ` ${second.hotkey} .* uid ${OWNER}, got 65535 .* ${CHAMPION}$`
  expect(warningsIn([without])).toEqual([expect.stringMatching(`OTHER_WEIGHTS${wrong}`)])
  expect(without.votes).toMatchObject({ uid: OWNER, validators: 2, agreeing: 1 })

  // The snapshot before the epoch decides, although the champion registers again in the epoch.
  const before = snapshotBlock(state.epoch, protocol)
  const again = await seen((snapshot, block) =>
    block > before ? {} : { neurons: others(snapshot) },
  )
  expect(again.votes).toEqual(without.votes)

  const ownerless = await seen((snapshot) => ({ neurons: others(snapshot), owner: undefined }))
  expect(ownerless.votes).toBeUndefined()
})

test('accepts weights for an earlier champion while newer weights wait for their reveal', async () => {
  // The contender solves each of 64 challenges, and the champion none.
  const rules = { ...network, protocol: withQuota(protocol, 64) }
  const subnet = new ReadingSubnet([100, 100, 100, 10], 0, rules)
  const [first] = subnet.voters as [Account]
  const state = await subnet.begin()
  await setWeights(subnet, [[first, [[CHAMPION, 65_535]]]])
  const last = await subnet.play(state, {
    reply: ({ role, env, prompt }) =>
      role === 'contender' ? make(env).spec.solve(prompt) : undefined,
  })
  expect(last.state.champion).toEqual(state.duels[0]?.contender)
  await subnet.end(last.state)
  const { epoch } = last.state
  const wrong = expect.stringMatching(` uid ${CONTENDER}, got 65535 .* ${CHAMPION}$`)
  const warning = expect.stringMatching(`^${epoch} OTHER_WEIGHTS ${first.hotkey} `)
  expect(warningsIn(await subnet.recompute())).toEqual([warning])

  // An epoch is one tempo, so weights wait two epochs: the first two epochs lack recipients.
  const chain = changedSnapshots(subnet.chain, () => ({ revealPeriod: 1 }))
  const waiting = await subnet.recompute({ chain })
  expect(warningsIn(waiting)).toEqual([])
  const votes = { uid: CONTENDER, validators: 1, agreeing: 0, others: [] }
  expect(waiting.map((each) => each.votes?.uid)).toEqual([
    undefined,
    undefined,
    CHAMPION,
    CONTENDER,
  ])
  expect(waiting.at(-1)?.votes).toEqual(votes)
  // From a later state on, the votes are unknown too, unless two earlier recipients are given.
  const champion = state.champion?.hotkey
  const next = last.state.champion?.hotkey
  const warned = { epoch, validator: first.hotkey, code: 'OTHER_WEIGHTS', detail: wrong }
  for (const [recipients, found] of [
    [[], undefined],
    [[champion], undefined],
    [[champion, champion], votes],
    [[next, champion, next, next], { ...votes, others: [warned] }],
  ] as const) {
    const [epoch] = await subnet.recompute({ chain, from: last.state, recipients })
    expect(epoch?.votes).toEqual(found)
  }
})
