import { type Facts, firstState, type State } from '@affine/duel'
import { expect, it } from 'vitest'
import { crownedFirst, epochOf, HEAD, MAIN, startedDuels } from '../../duel/test/subnet.ts'
import { epochFacts, epochText } from '../src/index.ts'
import { settledBy } from './settled.ts'

/** What is known of an epoch, and the lines that say it. */
function told(before: State, facts: Facts) {
  const settled = settledBy(before, facts)
  const known = epochFacts(settled)
  const text = epochText(known, (hotkey) => hotkey)
  return { state: settled.state, known, lines: text.split('\n').slice(1) }
}

it('says why an epoch is frozen: who is missing, its stake and last epoch, and what to do', () => {
  const crowned = crownedFirst()
  const { state } = told(crowned, epochOf(crowned, { stakes: { v3: 500n } }))
  const { known, lines } = told(state, epochOf(state, { silent: ['v3', 'v4'] }))
  expect(known.lacking?.missing).toEqual([
    { hotkey: 'v4', stake: '1000', weightPpm: 285_714, lastEpoch: 11, droppedIn: 31 },
    expect.objectContaining({ hotkey: 'v3', stake: '500', weightPpm: 142_857, lastEpoch: 11 }),
  ])
  expect(lines.slice(-3)).toEqual([
    "  Frozen: 57.1 % of the voters' weight attested, and it takes two thirds. These are missing:",
    '  v4: 28.5 % of the weight, a stake of 0.000001 TAO; it last attested epoch 11; its operator should start it (af doctor says what it lacks); it is not waited for after epoch 31',
    expect.stringContaining('v3: 14.2 % of the weight, a stake of 5e-7 TAO'),
  ])
})

it('says nothing of it where enough attest', () => {
  const started = startedDuels()
  const { known } = told(started, epochOf(started, { silent: ['v4'] }))
  expect(known.lacking).toBeUndefined()
})

it('says where nobody votes yet', () => {
  const first = firstState(MAIN, 7)
  expect(told(first, epochOf(first)).lines.at(-1)).toContain('nobody votes yet')
})

it('names who attests another state', () => {
  const before = crownedFirst()
  const facts = epochOf(before)
  const validators = facts.snapshot.validators.map((voter) =>
    voter.attest && voter.hotkey > 'v2'
      ? { ...voter, attest: { ...voter.attest, stateRoot: HEAD } }
      : voter,
  )
  const seen = { ...facts, snapshot: { ...facts.snapshot, validators } }
  const { known, lines } = told(before, seen)
  expect(known.others).toEqual({ hotkeys: ['v3', 'v4'], weightPpm: 500_000 })
  const text = lines.join('\n')
  expect(text).toContain('it attests another state: compare its release with this one')
  expect(text).toContain(
    '! another state of epoch 11 is attested by v3, v4 (50 % of the weight). Releases with other constants come to that: compare theirs with yours',
  )
})
