/*
 * A commitment outlives its registration on chain. Protocol §8.12: the later of the blocks of
 * registration and commitment determines a miner's queue position.
 */
import { expect, test } from 'vitest'
import { encodeCommitment, type Snapshot } from '../../packages/chain/src/index.ts'
import { decide, type Protocol, type State } from '../../packages/duel/src/index.ts'
import { crownedFirst, epochOf, MAIN, miner } from '../../packages/duel/test/subnet.ts'
import { duelSnapshot } from '../../packages/settlement/src/index.ts'
import { contendersIn } from './deciding.ts'

/** Blocks of registration and commitment by hotkey. */
type Miners = Readonly<Record<string, readonly [registered: number, committed: number]>>

/** Rules with one duel at a time. */
const protocol: Protocol = { ...MAIN, duelsMost: 1 }
const first = crownedFirst({ protocol, miners: [miner('king')] })

/** Returns the facts of the epoch that `state` governs, with these miners on the chain. */
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
      const model = { model: `m-${hotkey}`, revision: 'r', chute: 'c' }
      return { hotkey, block, fields: encodeCommitment({ kind: 'miner', ...model }) }
    }),
  }
  const read = duelSnapshot(chain, state.epoch + 1, protocol)
  const hotkeys = [...read.hotkeys, ...validators.map(({ hotkey }) => hotkey)]
  return { ...facts, snapshot: { ...read, hotkeys, validators } }
}

const contenders = (state: State, miners: Miners) =>
  contendersIn(decide(state, factsOf(miners, state)).state)

test('dates an old commitment by a later registration', () => {
  const miners: Miners = { waits: [400, 500], returns: [900, 2] }
  expect(contenders(first, miners)).toEqual(['waits'])
  expect(contenders(first, { ...miners, returns: [0, 2] })).toEqual(['returns'])
})

test('puts a hotkey that registers for another turn behind miners that wait', () => {
  const began = decide(first, factsOf({ returns: [0, 2] }, first)).state
  expect(contendersIn(began)).toEqual(['returns'])
  const gone = decide(began, factsOf({}, began)).state
  expect([contendersIn(gone), Object.keys(gone.lastPlayed)]).toEqual([[], ['king']])
  const anew: Miners = { returns: [4400, 2], waits: [400, 4300] }
  const next = decide(gone, factsOf(anew, gone)).state
  expect(contendersIn(next)).toEqual(['waits'])
  expect(contenders(next, anew)).toEqual(['returns'])
})
