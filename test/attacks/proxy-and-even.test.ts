import { expect, test } from 'vitest'
import type { State } from '../../packages/duel/src/index.ts'
import { MAIN, withQuota } from '../../packages/duel/test/subnet.ts'
import { make } from '../../packages/envs/src/index.ts'
import { playerReply } from '../../packages/miners/src/index.ts'
import type { Network, RecomputedEpoch } from '../../packages/settlement/src/index.ts'
import { champion, contender, type LanePlan, network, ReadingSubnet } from './reading-subnet.ts'

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
type Reply = NonNullable<LanePlan['reply']>

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

/** Plays a duel with one of `replies` per epoch, until the duel ends. */
async function playDuel(...replies: readonly Reply[]): Promise<readonly RecomputedEpoch[]> {
  const subnet = new ReadingSubnet([100, 100, 100], 0, rules)
  let state: State = await subnet.begin()
  const epochs: RecomputedEpoch[] = []
  for (const reply of replies) {
    if (state.duels.length === 0) break
    const epoch = await subnet.play(state, { reply })
    expect(epoch.flaws).toEqual([])
    epochs.push(epoch)
    state = epoch.state
  }
  return epochs
}
const duelsIn = (epochs: readonly RecomputedEpoch[]) => epochs.flatMap(({ report }) => report.duels)
const standingsOf = (epochs: readonly RecomputedEpoch[]) =>
  duelsIn(epochs).map(({ standing }) => standing)
const verdictsOf = (epochs: readonly RecomputedEpoch[]) =>
  duelsIn(epochs).map(({ verdicts }) => verdicts)
const throneOf = (epochs: readonly RecomputedEpoch[]) => epochs.at(-1)?.state.champion?.hotkey

test('ends the duel of a relay that ties everything in the third epoch, with `even` everywhere', async () => {
  const epochs = await playDuel(relays, relays, relays)
  expect(standingsOf(epochs)).toEqual(['open', 'open', 'lost'])
  expect(verdictsOf(epochs)[2]).toEqual({ [MULT8]: 'even', [TICTACTOE]: 'even' })
  expect(throneOf(epochs)).toBe(champion.hotkey)
})

test('takes back a win below the bar for one environment when the other becomes undecided', async () => {
  // 42 of 64 are 2.34 standard deviations above 0.51 in each lane: enough for one of two
  // environments, but not for a single one.
  const epochs = await playDuel(
    winMult8(21),
    winMult8(21),
    winMult8(16),
    winMult8(16),
    winMult8(16),
  )
  expect(verdictsOf(epochs).slice(0, 3)).toEqual([{}, { [MULT8]: 'win' }, { [TICTACTOE]: 'even' }])
  expect(standingsOf(epochs).at(-1)).toBe('lost')
  expect(throneOf(epochs)).toBe(champion.hotkey)
})

test('crowns a contender that meets the stricter bar', async () => {
  const epochs = await playDuel(winMult8(26), winMult8(26), winMult8(26))
  expect(standingsOf(epochs)).toEqual(['open', 'open', 'won'])
  expect(throneOf(epochs)).toBe(contender.hotkey)
})
