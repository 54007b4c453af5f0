import { expect, test } from 'vitest'
import { LOCAL, quotasOf } from '../../packages/duel/src/index.ts'
import { constantsOf, withQuota } from '../../packages/duel/test/subnet.ts'
import { make } from '../../packages/envs/src/index.ts'
import { shortHotkey } from '../../packages/report/src/index.ts'
import { LOCAL_NETWORK, type Network } from '../../packages/settlement/src/index.ts'
import { runAf, runVerifier } from '../in-process.ts'
import { testFolder } from '../test-folder.ts'
import { writeSubnet } from './af-verify.ts'
import { type Alter, cut, FORGERIES, forge, silent, unbegun } from './game-forgeries.ts'
import { OneLiar } from './one-liar.ts'
import { contender, hotkeys, type LanePlan } from './reading-subnet.ts'

// Protocol §3.1, §6.5: a game is replayed from what both players said. A move out of turn, and a
// fault that the game did not end by, void the whole lane.

const root = testFolder('unbegun')
const HEX = 'hex@0.1.0'
const envs = { [HEX]: constantsOf(HEX) }
const rules: Network = { ...LOCAL_NETWORK, protocol: withQuota({ ...LOCAL, envs }, 2) }
/** What is good: every game ends with a move that wins. */
const reply: NonNullable<LanePlan['reply']> = ({ env, prompt }) => make(env).spec.solve(prompt)

/** A subnet in which all attest the liar's lane. */
async function attestedByAll(plan: LanePlan, network = rules): Promise<OneLiar> {
  const subnet = new OneLiar(network)
  const state = await subnet.state
  await subnet.sealLie(plan)
  await subnet.sealAll(state, subnet.honest)
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  return subnet
}

test.each(Object.entries(FORGERIES))(
  '%s: the lane is void, whoever attests it, and its validator named',
  async (_, [code, change]) => {
    const subnet = await attestedByAll({ reply, alter: forge(change) })
    const { flaws, accepted } = await subnet.outcome()
    expect(flaws).toEqual([`${code} ${subnet.liar.hotkey}`])
    expect(accepted).toEqual(new Set(hotkeys(subnet.honest)))
  },
)

test('a no-reply made up at the end of a game is not found out', async () => {
  const subnet = await attestedByAll({
    reply,
    alter: forge((played) => cut(played, { won: silent })),
  })
  const { flaws, accepted } = await subnet.outcome()
  expect(flaws).toEqual([])
  expect(accepted).toEqual(new Set(hotkeys(subnet.voters)))
})

test('games told as never begun are not found out, but they are counted, and blame no miner', async () => {
  const alter: Alter = (samples) =>
    samples.map((sample) => {
      if ('miner' in sample) return sample
      const { champion, contender } = sample
      const sides = {
        champion: { ...champion, ...unbegun },
        contender: { ...contender, ...unbegun },
      }
      return { ...sample, ...sides }
    })
  const subnet = await attestedByAll({ alter }, LOCAL_NETWORK)
  const state = await subnet.state
  await subnet.end(state)
  const chain = await writeSubnet(subnet, root)
  const due = quotasOf(state)[contender.hotkey]?.[HEX]
  const verified = await runVerifier([root, '--network', chain])
  expect(verified.code).toBe(0)
  const lane = `${shortHotkey(subnet.liar.hotkey)} ✔, ${due} games never begun (`
  expect(verified.stdout).toContain(lane)
  expect(verified.stdout.match(/never begun/g)).toHaveLength(1)
  const words = ['--network', chain, '--buckets', root, '--hotkey', contender.hotkey]
  const explained = await runAf(['explain', ...words])
  expect(explained.stdout).toContain(` ${due} games were never begun: ties, which `)
})
