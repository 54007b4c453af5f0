/*
 * A rival stakes on a miner until it has a permit and could be taken for a validator. Protocol
 * §8.1, §8.12: a slot with a miner's commitment is not a voter's, and a permit removes no miner
 * from the queue.
 */
import { expect, test } from 'vitest'
import { encodeCommitment, type Snapshot } from '../../packages/chain/src/index.ts'
import { decide, firstState, type State } from '../../packages/duel/src/index.ts'
import { epochOf, MAIN } from '../../packages/duel/test/subnet.ts'
import { duelSnapshot } from '../../packages/settlement/src/index.ts'
import { contendersIn, votersOf } from './deciding.ts'

const voters = votersOf(3)
const STAKE = 1_000_000_000_000n
/** Stakes of the miners. The rival's is more than all voters'. */
const stakes: Readonly<Record<string, bigint>> = { king: 0n, staked: 10n * STAKE }

/** Decides an epoch in which all voters attest, from the chain at its end. */
function after(state: State): State {
  const facts = epochOf(state, { validators: voters })
  const committed = Object.keys(stakes).map((hotkey, block) => {
    const model = { model: `m-${hotkey}`, revision: 'r', chute: 'c' }
    return { hotkey, block, fields: encodeCommitment({ kind: 'miner', ...model }) }
  })
  const attested = facts.snapshot.validators.flatMap(({ hotkey, attest }) => {
    const fields = attest && encodeCommitment({ kind: 'attest', ...attest, url: hotkey })
    return fields ? [{ hotkey, block: 0, fields }] : []
  })
  const neurons = [...voters, ...Object.keys(stakes)].map((hotkey, uid) => {
    const stake = stakes[hotkey] ?? STAKE
    return { uid, hotkey, stake, permit: stake > 0n, registered: 0, lastUpdate: 0 }
  })
  const chain: Snapshot = {
    head: { number: 0, hash: '' },
    tempo: 360,
    revealPeriod: 0,
    maxUids: 256,
    immunityPeriod: 4096,
    neurons,
    commitments: [...committed, ...attested],
  }
  return decide(state, { ...facts, snapshot: duelSnapshot(chain, state.epoch + 1, MAIN) }).state
}

test('lets a miner with a permit contend, without a vote', () => {
  const first = after(firstState(MAIN, 0))
  expect([first.champion?.hotkey, Object.keys(first.voters)]).toEqual(['king', voters])
  const { duels, voters: weights, due } = after(first)
  expect(contendersIn({ ...first, duels })).toEqual(['staked'])
  expect([Object.keys(weights), Object.keys(due)]).toEqual([voters, voters])
  expect(new Set(Object.values(weights))).toEqual(new Set([1_000_000]))
})
