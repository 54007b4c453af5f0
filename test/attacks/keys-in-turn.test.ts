/*
 * Two keys of one owner throw duels to each other, so that whoever comes meets a ratio near the
 * ceiling. Protocol §8.10: the ratio rises no further than the champion's record supports, and a
 * champion that throws a duel keeps its record.
 */
import { expect, test } from 'vitest'
import { decide, type State } from '../../packages/duel/src/index.ts'
import { epochOf, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { begin, drawn, playOut } from './deciding.ts'

const FLOOR = 510_000
/** Either key earns nine tenths when it contends, and nothing when it has the throne. */
const THROWN: Scene = { rates: [0.9, 0], points: () => [0.9, 0] }

/** Whoever lost comes again with another text, and the champion throws the duel. */
function change(state: State, revision: string): State {
  const { hotkey = '' } = state.champion ?? {}
  const loser = hotkey === 'm1' ? 'm2' : 'm1'
  const champion = { ...miner(hotkey), ...state.champion }
  const scene = { ...THROWN, miners: [champion, miner(loser, 2, revision)] }
  const started = decide(state, epochOf(state, scene)).state
  expect(started.duel).toMatchObject({ champion: { hotkey }, contender: { hotkey: loser } })
  return playOut(started, (state) => epochOf(state, scene)).state
}

const alone = begin({ miners: [miner('m1')] })

test('it works on a seat that was taken without a duel, and never again', () => {
  const once = change(alone, 'a')
  expect(once.ratio).toBeGreaterThan(700_000)
  let state = once
  for (const revision of ['b', 'c', 'd']) {
    state = change(state, revision)
    expect(state.ratio).toBe(FLOOR)
  }
})

test('who wins three of four decisive challenges takes the throne from them', () => {
  const thrown = change(change(alone, 'a'), 'b')
  const champion = { ...miner('m1'), ...thrown.champion }
  const miners = [champion, miner('m3', 3)]
  const started = decide(thrown, epochOf(thrown, { miners })).state
  const random = pcg64(81n)
  const { state } = playOut(started, (state) =>
    epochOf(state, { miners, rates: drawn(random, state, 0.75) }),
  )
  expect(state.champion?.hotkey).toBe('m3')
})
