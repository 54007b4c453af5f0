import { expect, test } from 'vitest'
import {
  decide,
  firstState,
  PROTOCOL,
  type Protocol,
  type State,
} from '../../packages/duel/src/index.ts'
import { constantsOf, epochOf, MULT8, scored } from '../../packages/duel/test/subnet.ts'
import { make } from '../../packages/envs/src/index.ts'
import { playSample, soloChallenge } from '../../packages/miners/src/index.ts'
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
    const facts = epochOf(state)
    const tallyOf = (env: string) => {
      const { quotaFirst: played = 0 } = envs[env] ?? {}
      const wins = env === HEX ? played : Math.round(rate * played)
      return [env, scored({ wins, losses: played - wins, played })] as const
    }
    const tallies = Object.fromEntries(Object.keys(envs).map(tallyOf))
    const lanes = Object.fromEntries(Object.keys(facts.lanes).map((lane) => [lane, tallies]))
    return { ...facts, snapshot: { ...facts.snapshot, protocol }, lanes }
  }
  const first = firstState(protocol, 10)
  const begun = decide(first, factsOf(first)).state
  return playOut(begun, factsOf).state
}

test('a champion that resigns loses each game, by its own replies', async () => {
  const { spec } = make(HEX)
  for (let index = 0; index < 20; index++) {
    const challengeId = soloChallenge(HEX, '5e'.repeat(32), index)
    const challenge = { env: HEX, duel: '0'.repeat(64), index, challengeId }
    const { verdict, champion } = await playSample(
      challenge,
      (role) => ({
        hotkey: role,
        agent: ([prompt]) => ({
          content: role === 'champion' ? 'I resign.' : spec.solve(prompt?.content ?? ''),
        }),
      }),
      () => 0,
    )
    expect([verdict, champion.messages.at(-1)?.content]).toEqual(['win', 'I resign.'])
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
