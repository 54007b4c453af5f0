import { describe, expect, test } from 'vitest'
import { encodeCommitment, type Snapshot } from '../../packages/chain/src/index.ts'
import { decide, type Facts, firstState, type State } from '../../packages/duel/src/index.ts'
import { crownedFirst, epochOf, MAIN, miner } from '../../packages/duel/test/subnet.ts'
import { duelSnapshot } from '../../packages/settlement/src/index.ts'
import { contendersIn, votersOf } from './deciding.ts'

const voters = votersOf(3)
const STAKE = 1_000_000_000_000n

interface Slot {
  /** Block of the registration. Default: 0. `committed` is the block of the commitment. */
  readonly registered?: number
  readonly committed: number
  readonly stake?: bigint
}

/** Decides an epoch in which all voters attest, from a chain with these miners. */
function decideFrom(state: State, miners: Readonly<Record<string, Slot>>): State {
  const facts: Facts = epochOf(state, { validators: voters, rates: [0, 1] })
  const entries = Object.entries(miners)
  const committed = entries.map(([hotkey, { committed: block }]) => {
    const model = { model: `m-${hotkey}`, revision: 'r', chute: 'c' }
    return { hotkey, block, fields: encodeCommitment({ kind: 'miner', ...model }) }
  })
  const attested = facts.snapshot.validators.flatMap(({ hotkey, attest }) => {
    const fields = attest && encodeCommitment({ kind: 'attest', ...attest, url: hotkey })
    return fields ? [{ hotkey, block: 0, fields }] : []
  })
  const staked = voters.map((hotkey) => [hotkey, { stake: STAKE }] as const)
  const slots: readonly (readonly [string, Partial<Slot>])[] = [...staked, ...entries]
  const chain: Snapshot = {
    head: { number: 0, hash: '' },
    tempo: 360,
    revealPeriod: 0,
    maxUids: 256,
    immunityPeriod: 4096,
    neurons: slots.map(([hotkey, { stake = 0n, registered = 0 }], uid) => {
      return { uid, hotkey, stake, permit: stake > 0n, registered, lastUpdate: registered }
    }),
    commitments: [...committed, ...attested],
  }
  const snapshot = duelSnapshot(chain, state.epoch + 1, state.protocol)
  return decide(state, { ...facts, snapshot }).state
}

// A commitment outlives its registration on chain. Protocol §8.12: the later of the blocks of
// registration and commitment determines a miner's queue position.
describe('old-commitment-new-registration', () => {
  /** Rules with one duel at a time. */
  const protocol = { ...MAIN, duelsMost: 1 }
  const first = crownedFirst({ protocol, validators: voters, miners: [miner('king')] })
  const contenders = (...decided: Parameters<typeof decideFrom>) =>
    contendersIn(decideFrom(...decided))

  test('dates an old commitment by a later registration', () => {
    const waits = { registered: 400, committed: 500 }
    const returns = { registered: 900, committed: 2 }
    expect(contenders(first, { waits, returns })).toEqual(['waits'])
    expect(contenders(first, { waits, returns: { committed: 2 } })).toEqual(['returns'])
  })

  test('puts a hotkey that registers for another turn behind miners that wait', () => {
    const began = decideFrom(first, { returns: { committed: 2 } })
    expect(contendersIn(began)).toEqual(['returns'])
    const gone = decideFrom(began, {})
    expect([contendersIn(gone), Object.keys(gone.lastPlayed)]).toEqual([[], ['king']])
    const again = {
      returns: { registered: 4400, committed: 2 },
      waits: { registered: 400, committed: 4300 },
    }
    const next = decideFrom(gone, again)
    expect(contendersIn(next)).toEqual(['waits'])
    expect(contenders(next, again)).toEqual(['returns'])
  })
})

// A rival stakes on a miner until it has a permit and could be taken for a validator. Protocol
// §8.1, §8.12: a slot with a miner's commitment is not a voter's, and a permit removes no miner
// from the queue.
describe('rival-staked-into-a-permit', () => {
  test('lets a miner with a permit contend, without a vote', () => {
    // The rival's stake is more than all voters'.
    const miners = { king: { committed: 0 }, staked: { committed: 1, stake: 10n * STAKE } }
    const first = decideFrom(firstState(MAIN, 0), miners)
    expect([first.champion?.hotkey, Object.keys(first.voters)]).toEqual(['king', voters])
    const next = decideFrom(first, miners)
    expect(contendersIn(next)).toEqual(['staked'])
    expect([Object.keys(next.voters), Object.keys(next.due)]).toEqual([voters, voters])
    expect(new Set(Object.values(next.voters))).toEqual(new Set([1_000_000]))
  })
})
