import { expect, test } from 'vitest'
import { PROTOCOL, type Protocol, type State } from '../../packages/duel/src/index.ts'
import {
  constantsOf,
  epochOf,
  laneOf,
  MULT8,
  startedDuels,
} from '../../packages/duel/test/subnet.ts'
import { type Message, make } from '../../packages/envs/src/index.ts'
import { playPair, soloChallenge } from '../../packages/miners/src/index.ts'
import { playOut } from './deciding.ts'

/*
 * A champion resigns each of its games to a partner, which then has the throne with a rate of 1 in
 * them: as the ratio to beat, that would keep everybody else out. Protocol §8.10: what two miners
 * showed against each other sets no ratio and no record.
 */
const HEX = 'hex@0.1.0'
const FLOOR = 510_000
const ENVS = { [HEX]: constantsOf(HEX), [MULT8]: constantsOf(MULT8) }

/** The partner wins every game, and in mult8 `rate` of the challenges. */
function handedOver(envs: Protocol['envs'], rate: number): State {
  const protocol: Protocol = { ...PROTOCOL, envs }
  const factsOf = (state: State) => {
    const facts = epochOf(state, { protocol })
    const lane = laneOf(state, (played, env) => {
      const wins = env === HEX ? played : Math.round(rate * played)
      return [wins, played - wins, 1_000_000 * wins, 1_000_000 * (played - wins)]
    })
    const lanes = Object.fromEntries(Object.keys(facts.lanes).map((voter) => [voter, lane]))
    return { ...facts, lanes }
  }
  return playOut(startedDuels({ protocol }), factsOf).state
}

test('a champion that resigns loses each game, by its own replies', async () => {
  const { spec } = make(HEX)
  for (let index = 0; index < 20; index++) {
    const challengeId = soloChallenge(HEX, '5e'.repeat(32), index)
    const players = {
      champion: { hotkey: 'a', agent: () => ({ content: 'I resign.' }) },
      contender: {
        hotkey: 'b',
        agent: ([prompt]: readonly Message[]) => ({ content: spec.solve(prompt?.content ?? '') }),
      },
    }
    const { champion } = await playPair({ env: HEX, index, challengeId }, players, () => 0)
    expect([champion.reward, champion.messages.at(-1)?.content]).toEqual([-1, 'I resign'])
  }
})

test('the partner has the throne, and the ratio stays at the floor, without a record', () => {
  const { champion, ratio, record } = handedOver({ [HEX]: ENVS[HEX] }, 0)
  expect([champion?.hotkey, ratio, record]).toEqual(['m2', FLOOR, {}])
})

test('beside another environment, that one alone sets the ratio', () => {
  const alone = handedOver({ [MULT8]: ENVS[MULT8] }, 0.75)
  const both = handedOver(ENVS, 0.75)
  expect(both.champion?.hotkey).toBe('m2')
  expect(Object.keys(both.record)).toEqual([MULT8])
  expect(both.ratio).toBeLessThan(750_000)
  expect(alone.champion?.hotkey).toBe('m2')
})
