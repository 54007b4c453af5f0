import { expect, test } from 'vitest'
import { PROTOCOL } from '../../packages/duel/src/index.ts'
import { constantsOf, epochOf, startedDuels } from '../../packages/duel/test/subnet.ts'
import { type Message, make } from '../../packages/envs/src/index.ts'
import { playPair, soloChallenge } from '../../packages/miners/src/index.ts'
import { playOut } from './deciding.ts'

/*
 * A champion resigns each of its games to a partner, which is crowned with a rate of 1 in games.
 * Protocol §8.10: results of two miners against each other raise neither the ratio nor the recorded
 * rates.
 */
const HEX = 'hex@0.1.0'
test('makes a champion that resigns lose each game', async () => {
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

test('crowns the partner with the ratio at the floor and no recorded rate', () => {
  const protocol = { ...PROTOCOL, envs: { [HEX]: constantsOf(HEX) } }
  const { state } = playOut(startedDuels({ protocol }), (state) =>
    epochOf(state, { protocol, rates: [1, 0] }),
  )
  expect([state.champion?.hotkey, state.ratio, state.record]).toEqual(['m2', 510_000, {}])
})
