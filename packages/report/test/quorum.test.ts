import { decide, firstState, type State } from '@affine/duel'
import { expect, it } from 'vitest'
import { epochOf, HEAD, MAIN, type Scene } from '../../duel/test/subnet.ts'
import { epochFacts, epochText } from '../src/index.ts'

const first = firstState(MAIN, 7)

/** What is known of an epoch, and the lines that say it, without what a duel's environments say. */
function told(before: State, scene: Scene) {
  const facts = epochOf(before, scene)
  const settled = { before, snapshot: facts.snapshot, lanes: new Map(), ...decide(before, facts) }
  const known = epochFacts(settled)
  const text = epochText(known, (hotkey) => hotkey)
  return { state: settled.state, known, lines: text.split('\n').slice(1) }
}

it('says why no duel starts: who is missing, its stake and last epoch, and what to do', () => {
  const began = told(first, { miners: [] }).state
  const { known, lines } = told(began, { silent: ['v3', 'v4'], stakes: { v3: 500n } })
  expect(known.lacking?.missing).toEqual([
    {
      hotkey: 'v4',
      stake: '1000',
      weightPpm: 285_714,
      lastEpoch: 7,
      droppedIn: 27,
    },
    expect.objectContaining({ hotkey: 'v3', stake: '500', lastEpoch: 7 }),
  ])
  expect(lines.slice(-3)).toEqual([
    "  No duel starts: 57.1 % of the active validators' weight attested, and it takes two thirds. These are missing:",
    '  v4: 28.5 % of the weight, a stake of 1000 rao; it last attested epoch 7; its operator should start it (af doctor says what it lacks); it is not waited for after epoch 27',
    expect.stringContaining('v3: 14.2 % of the weight, a stake of 500 rao'),
  ])
})

it('says in a network’s first epoch who never attested, and nothing where no miner waits', () => {
  expect(told(first, { silent: ['v3', 'v4'] }).lines.join()).toContain('it never attested')
  expect(told(first, { silent: ['v3', 'v4'], miners: [] }).known.lacking).toBeUndefined()
  expect(told(first, {}).known.lacking).toBeUndefined()
})

it('says where nobody votes yet', () => {
  const none = told(first, { validators: [] })
  expect(none.lines.at(-1)).toContain('nobody votes yet')
})

it('says why a duel ended frozen', () => {
  let state = told(first, {}).state
  for (let epoch = 0; epoch < 3; epoch++) state = told(state, { silent: ['v3', 'v4'] }).state
  const { known, lines } = told(state, { silent: ['v3', 'v4'] })
  expect(known.duel?.end).toEqual({ winner: 'champion', by: 'freezing' })
  expect(lines.join('\n')).toContain(
    'm1 keeps the throne, m2 waits again: the contender has won 0 of 2 environments, 2 needed, ' +
      'when too few validators attested in four of its epochs',
  )
})

it('names who attests another state', () => {
  const facts = epochOf(first)
  const validators = facts.snapshot.validators.map((voter) =>
    voter.attest && voter.hotkey > 'v2'
      ? { ...voter, attest: { ...voter.attest, stateRoot: HEAD } }
      : voter,
  )
  const seen = { ...facts, snapshot: { ...facts.snapshot, validators } }
  const decided = decide(first, seen)
  const settled = { before: first, snapshot: seen.snapshot, lanes: new Map(), ...decided }
  expect(epochFacts(settled).others).toEqual({ hotkeys: ['v3', 'v4'], weightPpm: 500_000 })
  const text = epochText(epochFacts(settled), (hotkey) => hotkey)
  expect(text).toContain('it attests another state: compare its release with this one')
  expect(text).toContain(
    '! another state of epoch 7 is attested by v3, v4 (50 % of the weight). Releases with other constants come to that: compare theirs with yours',
  )
})
