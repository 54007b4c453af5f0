/*
 * A commitment outlives its registration on chain, so a hotkey that registers anew finds an old one
 * in its slot. Protocol §8.11: its place is by the later of the two blocks.
 */
import { expect, test } from 'vitest'
import { encodeCommitment, type Snapshot } from '../../packages/chain/src/index.ts'
import { decide } from '../../packages/duel/src/index.ts'
import { epochOf, MAIN } from '../../packages/duel/test/subnet.ts'
import { duelSnapshot } from '../../packages/settlement/src/index.ts'
import { FIRST } from './deciding.ts'

/** By hotkey, the blocks of a registration and of a commitment. */
type Miners = Readonly<Record<string, readonly [registered: number, committed: number]>>

/** The chain at the end of the first epoch, as a decision reads it; voters as ever. */
function factsOf(miners: Miners, state = FIRST) {
  const facts = epochOf(state, { rates: [0, 1] })
  const { validators } = facts.snapshot
  const entries = Object.entries(miners)
  const chain: Snapshot = {
    head: { number: 0, hash: '' },
    tempo: 360,
    revealPeriod: 0,
    neurons: entries.map(([hotkey, [registered]], uid) => {
      return { uid, hotkey, stake: 0n, permit: false, registered, lastUpdate: registered }
    }),
    commitments: entries.map(([hotkey, [, block]]) => {
      const said = { model: `m-${hotkey}`, revision: 'r', chute: 'c' }
      return { hotkey, block, fields: encodeCommitment({ kind: 'miner', ...said }) }
    }),
  }
  const read = duelSnapshot(chain, state.epoch + 1, MAIN)
  const hotkeys = [...read.hotkeys, ...validators.map(({ hotkey }) => hotkey)]
  return { ...facts, snapshot: { ...read, hotkeys, validators } }
}

test('an old commitment is no older than the registration it stands under', () => {
  const miners: Miners = { king: [0, 1], waits: [400, 500], returns: [900, 2] }
  const { champion, duel } = decide(FIRST, factsOf(miners)).state
  expect([champion?.hotkey, duel?.contender.hotkey]).toEqual(['king', 'waits'])
  const old = decide(FIRST, factsOf({ ...miners, returns: [0, 2] })).state
  expect(old.duel?.contender.hotkey).toBe('returns')
})

test('nor is a hotkey that has had its turn, and registers for another, ahead of who waits', () => {
  const began = decide(FIRST, factsOf({ king: [0, 1], returns: [0, 2] })).state
  expect(began.duel?.contender.hotkey).toBe('returns')
  const anew: Miners = { king: [0, 1], returns: [900, 2], waits: [400, 500] }
  const next = decide(began, factsOf(anew, began)).state
  expect([next.champion?.hotkey, next.duel?.contender.hotkey]).toEqual(['king', 'waits'])
  expect(decide(next, factsOf(anew, next)).state.duel?.contender.hotkey).toBe('returns')
})
