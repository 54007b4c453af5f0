import { expect, test } from 'vitest'
import type { BlockFault, Episode, Sample } from '../../packages/blocks/src/index.ts'
import { make } from '../../packages/envs/src/index.ts'
import { LOCAL_NETWORK } from '../../packages/settlement/src/index.ts'
import { runAf, runVerifier } from '../in-process.ts'
import { testFolder } from '../test-folder.ts'
import { afVerify, writeSubnet } from './af-verify.ts'
import { OneLiar } from './one-liar.ts'
import { accountOf, contender as contenderOf, hotkeys, type LanePlan } from './reading-subnet.ts'

// Protocol §6.5: every transcript is replayed, and one fault voids the whole lane, whoever attests
// it.

const root = testFolder('forged')
/** The champion is always right, the contender never. */
const WRONG = '1'.repeat(16)
const reply: LanePlan['reply'] = ({ role, env, prompt }) =>
  role === 'champion' ? make(env).spec.solve(prompt) : WRONG
type Change = (episode: Episode) => object
/** Of the first challenge for one player; its samples are the champion's, then the contender's. */
const at = (place: number, change: Change) => (samples: readonly Sample[]) => {
  const first = samples.findIndex((sample) => 'miner' in sample)
  return samples.map((sample, i) =>
    i === first + place && 'miner' in sample ? { ...sample, ...change(sample) } : sample,
  )
}
const champion = (change: Change) => at(0, change)
const contender = (change: Change) => at(1, change)
const asked = (content: string) => (episode: Episode) => ({
  messages: [{ role: 'user', content }, ...episode.messages.slice(1)],
})
const called = (episode: Episode) => ({
  messages: episode.messages.map((said) =>
    said.role === 'user' ? said : { ...said, invocation: 'call-1' },
  ),
})
const ofOneCall = (samples: readonly Sample[]) => champion(called)(contender(called)(samples))
const FORGERIES: Readonly<Record<string, readonly [BlockFault, LanePlan]>> = {
  'a reward that was not earned': ['WRONG_REWARD', { alter: contender(() => ({ reward: 1 })) }],
  'another question': ['PROMPT_DIFFERS', { alter: contender(asked('Compute 1 * 1.')) }],
  'a forfeit that was none': ['WRONG_FAULT', { alter: champion(() => ({ fault: 'no-reply' })) }],
  'another miner': [
    'WRONG_CHALLENGE',
    { alter: contender(() => ({ miner: accountOf(9).hotkey })) },
  ],
  'one call shown for two': ['REPEATED_INVOCATION', { alter: ofOneCall }],
  'a sample left out': ['MISSING_INDEX', { alter: (samples) => samples.slice(1) }],
  'a contender left out': ['WRONG_CHALLENGE', { alter: ([one, , ...rest]) => [one!, ...rest] }],
  'a challenge shown twice': [
    'WRONG_CHALLENGE',
    { alter: ([one, two]) => [one!, two!, one!, two!] },
  ],
  'another order': ['WRONG_CHALLENGE', { alter: (samples) => [...samples].reverse() }],
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

test('nothing of it is shown by af-verify or af explain, though all attest it', async () => {
  const subnet = new OneLiar(LOCAL_NETWORK)
  const state = await subnet.state
  const made = 'a reply that was made up'
  let challenge = ''
  const alter = (samples: readonly Sample[]) => {
    challenge = samples[0]?.challengeId ?? ''
    return contender(() => ({ reward: 1 }))(samples)
  }
  const lie = await subnet.lane(subnet.liar, state, { reply: () => made, alter })
  subnet.put(lie)
  await subnet.seal(subnet.liar, state, lie.hash)
  await subnet.sealAll(state, subnet.honest, { reply: () => 'as it was' })
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  await subnet.end(state)
  const network = ['--network', await writeSubnet(subnet, root)]
  const shown = await runVerifier([root, ...network, '--sample', 'mult8#0', '--json'])
  expect(shown.stdout).not.toContain(made)
  expect(shown.stdout.match(/"type":"sample"/g)).toHaveLength(2 * subnet.honest.length)
  expect(shown.stdout).toContain('"code":"WRONG_REWARD"')
  for (const words of [
    ['--challenge', challenge],
    ['--block', lie.hash],
  ]) {
    const { code, stdout, stderr } = await runVerifier([root, ...network, ...words])
    expect([code, stdout.includes(made)]).toEqual([1, false])
    const why = `${subnet.liar.hotkey} in epoch 2 (WRONG_REWARD)`
    expect(stderr).toContain('in a valid lane. Samples of invalid lanes are not shown: ')
    expect(stderr).toContain(why)
  }
  const buckets = [...network, '--buckets', root]
  const miner = contenderOf.hotkey
  const explained = await runAf(['explain', ...buckets, '--hotkey', miner, '--all'])
  expect([explained.code, explained.stdout.includes(made)]).toEqual([0, false])
  const all = await runVerifier([root, ...network, '--samples', '--json'])
  expect([all.code, all.stdout.includes(made)]).toEqual([1, false])
  const lines = all.stdout.trimEnd().split('\n')
  const kinds = lines.map((line): string => JSON.parse(line).type)
  // An epoch's samples come before it, and the first two have none.
  expect(kinds.indexOf('sample')).toBe(kinds.indexOf('epoch') + 2)
  const epochs = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'sample')
  expect(new Set(epochs.map(({ epoch }) => epoch))).toEqual(new Set([2]))
  expect(new Set(epochs.map(({ validator }) => validator))).toEqual(new Set(hotkeys(subnet.honest)))
})
