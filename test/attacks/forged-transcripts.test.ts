import { afterAll, expect, test } from 'vitest'
import type { BlockFault, Episode, Sample } from '../../packages/blocks/src/index.ts'
import { make } from '../../packages/envs/src/index.ts'
import { LOCAL_NETWORK } from '../../packages/settlement/src/index.ts'
import { killAll } from '../processes.ts'
import { afVerify } from './af-verify.ts'
import { OneLiar } from './one-liar.ts'
import { accountOf, hotkeys, type LanePlan } from './reading-subnet.ts'

// Protocol §6.5: every transcript is replayed, and one fault voids the whole lane, whoever attests
// it.
afterAll(killAll)

/** The champion is always right, the contender never. */
const WRONG = '1'.repeat(16)
const reply: LanePlan['reply'] = ({ role, env, prompt }) =>
  role === 'champion' ? make(env).spec.solve(prompt) : WRONG
const first = (change: (sample: Sample) => object) => (samples: readonly Sample[]) =>
  samples.map((sample, i) => (i === 0 ? { ...sample, ...change(sample) } : sample))
const champion = (change: (episode: Episode) => object) =>
  first((sample) => ({ champion: { ...sample.champion, ...change(sample.champion) } }))
const contender = (change: (episode: Episode) => object) =>
  first((sample) => ({ contender: { ...sample.contender, ...change(sample.contender) } }))
const asked = (content: string) => (episode: Episode) => ({
  messages: [{ role: 'user', content }, ...episode.messages.slice(1)],
})
const called = (episode: Episode) => ({
  ...episode,
  messages: episode.messages.map((said) =>
    said.role === 'user' ? said : { ...said, invocation: 'call-1' },
  ),
})
const ofOneCall = (sample: Sample) => ({
  champion: called(sample.champion),
  contender: called(sample.contender),
})
const FORGERIES: Readonly<Record<string, readonly [BlockFault, LanePlan]>> = {
  'a reward that was not earned': ['WRONG_REWARD', { alter: contender(() => ({ reward: 1 })) }],
  'a verdict that does not follow': ['WRONG_VERDICT', { alter: first(() => ({ verdict: 'win' })) }],
  'another question': ['PROMPT_DIFFERS', { alter: contender(asked('Compute 1 * 1.')) }],
  'a forfeit that was none': ['WRONG_FAULT', { alter: champion(() => ({ fault: 'no-reply' })) }],
  'another miner': ['WRONG_MINER', { alter: contender(() => ({ miner: accountOf(9).hotkey })) }],
  'one call shown for two': ['REPEATED_INVOCATION', { alter: first(ofOneCall) }],
  'a challenge left out': ['MISSING_INDEX', { alter: (samples) => samples.slice(1) }],
  'a challenge shown twice': ['WRONG_INDEX', { alter: ([one]) => (one ? [one, one] : []) }],
  'challenges of its own choice': [
    'WRONG_CHALLENGE',
    { secret: '0f'.repeat(32), header: { secret: '5e'.repeat(32) } },
  ],
}

/** What the epoch comes to when the liar seals nothing. */
async function withoutLane() {
  const subnet = new OneLiar()
  await subnet.beHonest()
  return subnet.outcome()
}

test.each(Object.entries(FORGERIES))(
  '%s: the lane is void, and its validator named',
  async (...forgery) => {
    const [, [code, plan]] = forgery
    const subnet = new OneLiar()
    const { honest, liar } = subnet
    await subnet.sealLie({ reply, ...plan })
    await subnet.beHonest()
    await subnet.attest(liar, await subnet.state, hotkeys(subnet.voters))
    const { flaws, accepted, champion, tallies, trustIn } = await subnet.outcome()
    expect(flaws).toEqual([`${code} ${liar.hotkey}`])
    expect(accepted).toEqual(new Set(hotkeys(honest)))
    const expected = await withoutLane()
    expect([champion, tallies]).toEqual([expected.champion, expected.tallies])
    expect(trustIn(liar)).toBeLessThan(trustIn(honest[0]))
  },
)

test('all of the weight cannot make it count, and af-verify exits with 1', async () => {
  const subnet = new OneLiar(LOCAL_NETWORK)
  const [code, plan] = FORGERIES['a reward that was not earned'] ?? []
  await subnet.sealLie({ reply, ...plan })
  await subnet.sealAll(await subnet.state, subnet.honest)
  for (const voter of subnet.voters)
    await subnet.attest(voter, await subnet.state, hotkeys(subnet.voters))
  const { flaws, accepted, root } = await subnet.outcome()
  expect(flaws).toEqual([`${code} ${subnet.liar.hotkey}`])
  expect(accepted).toEqual(new Set(hotkeys(subnet.honest)))
  expect(await afVerify(subnet)).toMatchObject({ code: 1, flaws, root })
})
