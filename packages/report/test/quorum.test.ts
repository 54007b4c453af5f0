import type { Facts, State } from '@affine/duel'
import { expect, it } from 'vitest'
import { crownedFirst, epochOf, HEAD } from '../../duel/test/subnet.ts'
import { describeEpoch, formatEpoch } from '../src/index.ts'
import { settledBy } from './settled.ts'

/** Returns the facts of an epoch, and their text. */
function told(before: State, facts: Facts) {
  const settled = settledBy(before, facts)
  const known = describeEpoch(settled)
  return { state: settled.state, known, text: `${formatEpoch(known, (hotkey) => hotkey)}\n` }
}

it('names the missing voters of a frozen epoch, their stake and last epoch', async () => {
  const crowned = crownedFirst()
  const { state } = told(crowned, epochOf(crowned, { stakes: { v3: 500n } }))
  const { known, text } = told(state, epochOf(state, { silent: ['v3', 'v4'] }))
  expect(known.lacking?.missing).toEqual([
    { hotkey: 'v4', stake: '1000', weightPpm: 285_714, lastEpoch: 11, droppedIn: 31 },
    expect.objectContaining({ hotkey: 'v3', stake: '500', weightPpm: 142_857, lastEpoch: 11 }),
  ])
  await expect(text).toMatchFileSnapshot('snapshots/frozen.txt')
})

it('names the voters that attest another state', async () => {
  const before = crownedFirst()
  const facts = epochOf(before)
  const validators = facts.snapshot.validators.map((voter) =>
    voter.attest && voter.hotkey > 'v2'
      ? { ...voter, attest: { ...voter.attest, stateRoot: HEAD } }
      : voter,
  )
  const seen = { ...facts, snapshot: { ...facts.snapshot, validators } }
  const { known, text } = told(before, seen)
  expect(known.others).toEqual({ hotkeys: ['v3', 'v4'], weightPpm: 500_000 })
  await expect(text).toMatchFileSnapshot('snapshots/another-state.txt')
})
