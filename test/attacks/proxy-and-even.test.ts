import { expect, test } from 'vitest'
import type { Report, State } from '../../packages/duel/src/index.ts'
import { MAIN, withQuota } from '../../packages/duel/test/subnet.ts'
import { make } from '../../packages/envs/src/index.ts'
import { playerReply } from '../../packages/miners/src/index.ts'
import type { Network } from '../../packages/settlement/src/index.ts'
import { champion, contender, network, ReadingSubnet, type Reply } from './reading-subnet.ts'

// Protocol §8.6: an environment with nearly only ties is undecided and counts for neither side. If
// one environment is left, it decides alone, with a stricter bar. Here three honest voters play a
// contender that forwards challenges to the champion's endpoint.
const [MULT8, TICTACTOE] = ['mult8@0.1.0', 'tictactoe@0.1.0'] as const
const QUOTA = 32
const rules: Network = {
  ...network,
  protocol: {
    ...network.protocol,
    envs: withQuota(MAIN, QUOTA).envs,
    duelEpochs: 5,
    evenEpoch: 3,
  },
}
/** Returns the reply of the champion's model, which differs by `seed`. */
const modelReply = (prompt: string, seed: string): string =>
  playerReply(prompt, { skill: 0.6, seed })
/** Forwards all prompts to an endpoint that always gives the same reply to a prompt. */
const relays: Reply = ({ prompt }) => modelReply(prompt, 'one')

/** Returns replies: the contender forwards tictactoe, and wins `wins` of mult8 in an epoch. */
const winMult8 =
  (wins: number): Reply =>
  (question) => {
    if (question.env === TICTACTOE) return relays(question)
    const winner = question.index < wins ? 'contender' : 'champion'
    return question.role === winner ? make(MULT8).spec.solve(question.prompt) : 'I pass.'
  }

/**
 * Plays a duel with one of `replies` per epoch, until the duel ends. Resolves with its standing and
 * its verdicts after each epoch, and the last champion.
 */
async function playDuel(...replies: readonly Reply[]) {
  const subnet = new ReadingSubnet([100, 100, 100], 0, rules)
  let state: State = await subnet.begin()
  const reports: Report['duels'][number][] = []
  for (const reply of replies) {
    if (state.duels.length === 0) break
    const epoch = await subnet.play(state, { reply })
    expect(epoch.flaws).toEqual([])
    reports.push(...epoch.report.duels)
    state = epoch.state
  }
  return {
    standings: reports.map(({ standing }) => standing),
    verdicts: reports.map(({ verdicts }) => verdicts),
    throne: state.champion?.hotkey,
  }
}

test('ends in the third epoch, with `even` everywhere, the duel of a relay that ties everything', async () => {
  const { standings, verdicts, throne } = await playDuel(relays, relays, relays)
  expect(standings).toEqual(['open', 'open', 'lost'])
  expect(verdicts[2]).toEqual({ [MULT8]: 'even', [TICTACTOE]: 'even' })
  expect(throne).toBe(champion.hotkey)
})

test('takes back a win below the bar for one environment when the other becomes undecided', async () => {
  // 42 of 64 are 2.34 standard deviations above 0.51 in each lane: enough for one of two
  // environments, but not for a single one.
  const { standings, verdicts, throne } = await playDuel(...[21, 21, 16, 16, 16].map(winMult8))
  expect(verdicts.slice(0, 3)).toEqual([{}, { [MULT8]: 'win' }, { [TICTACTOE]: 'even' }])
  expect([standings.at(-1), throne]).toEqual(['lost', champion.hotkey])
})

test('crowns a contender that meets the stricter bar', async () => {
  const { standings, throne } = await playDuel(...[26, 26, 26].map(winMult8))
  expect(standings).toEqual(['open', 'open', 'won'])
  expect(throne).toBe(contender.hotkey)
})
