import { decide, firstState, type State } from '@affine/duel'
import { expect, it } from 'vitest'
import {
  crownedFirst,
  epochOf,
  HEAD,
  MAIN,
  type Scene,
  startedDuels,
} from '../../duel/test/subnet.ts'
import { epochFacts, epochText } from '../src/index.ts'

/** What is known of an epoch, and the lines that say it. */
function told(before: State, scene: Scene) {
  const facts = epochOf(before, scene)
  const settled = { before, snapshot: facts.snapshot, lanes: new Map(), ...decide(before, facts) }
  const known = epochFacts(settled)
  const text = epochText(known, (hotkey) => hotkey)
  return { state: settled.state, known, lines: text.split('\n').slice(1) }
}

it('says why an epoch is frozen: who is missing, its stake and last epoch, and what to do', () => {
  const { state } = told(crownedFirst(), { stakes: { v3: 500n } })
  const { known, lines } = told(state, { silent: ['v3', 'v4'] })
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
  expect(told(startedDuels(), { silent: ['v4'] }).known.lacking).toBeUndefined()
})

it('says where nobody votes yet', () => {
  expect(told(firstState(MAIN, 7), {}).lines.at(-1)).toContain('nobody votes yet')
})

it('says why a duel was lost in frozen epochs', () => {
  let state = startedDuels()
  for (let epoch = 0; epoch < 3; epoch++) state = told(state, { silent: ['v3', 'v4'] }).state
  const { known, lines } = told(state, { silent: ['v3', 'v4'] })
  expect(known.duels[0]).toMatchObject({ standing: 'lost', end: 'freezing' })
  expect(lines.join('\n')).toContain(
    'm1 keeps the throne, m2 fails: the contender has won 0 of 2 environments, 2 needed, ' +
      'when too few validators attested in four of its epochs',
  )
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
  const settled = { before, snapshot: seen.snapshot, lanes: new Map(), ...decide(before, seen) }
  expect(epochFacts(settled).others).toEqual({ hotkeys: ['v3', 'v4'], weightPpm: 500_000 })
  const text = epochText(epochFacts(settled), (hotkey) => hotkey)
  expect(text).toContain('it attests another state: compare its release with this one')
  expect(text).toContain(
    '! another state of epoch 11 is attested by v3, v4 (50 % of the weight). Releases with other constants come to that: compare theirs with yours',
  )
})
