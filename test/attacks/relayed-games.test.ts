import { expect, test } from 'vitest'
import { type MinerAgent, playerReply, runDuel } from '../../packages/miners/src/index.ts'
import { SYSTEM_CLOCK } from '../../packages/settlement/src/index.ts'

/*
 * A contender forwards the prompts of its games to the champion's endpoint, which then plays
 * against itself. A game has no tie, so the relay wins about half of the games. Protocol §3.1,
 * §8.6.
 */
const HEX = 'hex@0.1.0'
const signal = new AbortController().signal

/** Plays a duel at hex. */
const duelWith = (champion: MinerAgent, contender: MinerAgent) =>
  runDuel({
    duel: {
      ...{ champion: 'a', contender: 'b', envs: [HEX], ratioPpm: 600_000 },
      secret: '5e'.repeat(32),
    },
    journal: { entries: [], append: async () => {} },
    players: { champion: { agent: () => champion }, contender: { agent: () => contender } },
    ...{ ahead: 8, signal, now: () => 0, time: SYSTEM_CLOCK, on: () => {} },
  })

/** Returns a model whose mistakes depend on `seed`. */
const model =
  (seed: string, skill = 0.7): MinerAgent =>
  ([prompt]) => ({ content: playerReply(prompt?.content ?? '', { skill, seed }) })

test.each([
  ['always the same', model('any'), model('any')],
  ['at random', model('champion'), model('contender')],
] as const)(
  'has no tied game when a contender relays to an endpoint that answers %s, and the champion holds',
  async (_, champion, contender) => {
    const { outcome, envs } = await duelWith(champion, contender)
    expect(outcome).toBe('champion')
    expect(envs[HEX]).toMatchObject({ ties: 0, verdict: 'hold' })
    const { wins = 0, trials = 1 } = envs[HEX] ?? {}
    expect(Math.abs(wins / trials - 0.5)).toBeLessThan(0.15)
  },
)
