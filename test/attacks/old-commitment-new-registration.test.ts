/*
 * A commitment outlives its registration on chain, so a hotkey that registers anew finds an old one
 * in its slot. Protocol §8.12: its place is by the later of the two blocks.
 */
import { expect, test } from 'vitest'
import { encodeCommitment, type Snapshot } from '../../packages/chain/src/index.ts'
import { decide, type Protocol, type State } from '../../packages/duel/src/index.ts'
import { crownedFirst, epochOf, MAIN, miner } from '../../packages/duel/test/subnet.ts'
import { duelSnapshot } from '../../packages/settlement/src/index.ts'
import { listed } from './deciding.ts'

/** By hotkey, the blocks of a registration and of a commitment. */
type Miners = Readonly<Record<string, readonly [registered: number, committed: number]>>

/** One duel at a time. */
const protocol: Protocol = { ...MAIN, duelsMost: 1 }
const first = crownedFirst({ protocol, miners: [miner('king')] })

/** The epoch that `state` governs, and the chain at its end as a decision reads it. */
function factsOf(miners: Miners, state: State) {
  const facts = epochOf(state, { protocol, rates: [0, 1] })
  const { validators } = facts.snapshot
  const entries = Object.entries(miners)
  const chain: Snapshot = {
    head: { number: 0, hash: '' },
    tempo: 360,
    revealPeriod: 0,
    maxUids: 256,
    immunityPeriod: 4096,
    neurons: entries.map(([hotkey, [registered]], uid) => {
      return { uid, hotkey, stake: 0n, permit: false, registered, lastUpdate: registered }
    }),
    commitments: entries.map(([hotkey, [, block]]) => {
      const said = { model: `m-${hotkey}`, revision: 'r', chute: 'c' }
      return { hotkey, block, fields: encodeCommitment({ kind: 'miner', ...said }) }
    }),
  }
  const read = duelSnapshot(chain, state.epoch + 1, protocol)
  const hotkeys = [...read.hotkeys, ...validators.map(({ hotkey }) => hotkey)]
  return { ...facts, snapshot: { ...read, hotkeys, validators } }
}

const contenders = (state: State, miners: Miners) =>
  listed(decide(state, factsOf(miners, state)).state)

test('an old commitment is no older than the registration it stands under', () => {
  const miners: Miners = { waits: [400, 500], returns: [900, 2] }
  expect(contenders(first, miners)).toEqual(['waits'])
  expect(contenders(first, { ...miners, returns: [0, 2] })).toEqual(['returns'])
})

test('nor is a hotkey that has had its turn, and registers for another, ahead of who waits', () => {
  const began = decide(first, factsOf({ returns: [0, 2] }, first)).state
  expect(listed(began)).toEqual(['returns'])
  const gone = decide(began, factsOf({}, began)).state
  expect([listed(gone), Object.keys(gone.lastPlayed)]).toEqual([[], ['king']])
  const anew: Miners = { returns: [4400, 2], waits: [400, 4300] }
  const next = decide(gone, factsOf(anew, gone)).state
  expect(listed(next)).toEqual(['waits'])
  expect(contenders(next, anew)).toEqual(['returns'])
})
