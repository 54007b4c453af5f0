import { describe, expect, it } from 'vitest'
import type { Account, Commitment } from '../../packages/chain/src/index.ts'
import { LOCAL } from '../../packages/duel/src/index.ts'
import { constantsOf, withQuota } from '../../packages/duel/test/subnet.ts'
import { normalise } from '../../packages/envs/src/index.ts'
import { LOCAL_NETWORK, type Network } from '../../packages/settlement/src/index.ts'
import { runAf, runVerifier } from '../in-process.ts'
import { testFolder } from '../test-folder.ts'
import { byContender } from './forgeries.ts'
import { testLies } from './found-out.ts'
import { FORGED_GAMES, FORGED_TRANSCRIPTS, INVENTED_NO_REPLY } from './lies.ts'
import { OneLiar } from './one-liar.ts'
import { contender, hotkeys } from './reading-subnet.ts'
import { writeSubnet } from './write-subnet.ts'

const HEX = 'hex@0.1.0'
const envs = { [HEX]: constantsOf(HEX) }
const WITH_GAMES: Network = { ...LOCAL_NETWORK, protocol: withQuota({ ...LOCAL, envs }, 2) }

// Protocol §3.1, §6.5: a game is replayed from both players' replies. A move out of turn, or a
// recorded fault that did not end the game, voids the whole lane.
describe('forged-games', () => {
  testLies(FORGED_GAMES, WITH_GAMES)

  it('does not detect an invented no-reply at the end of a game', async () => {
    const subnet = new OneLiar(WITH_GAMES)
    await INVENTED_NO_REPLY(subnet)
    const { flaws, accepted } = await subnet.outcome()
    expect(flaws).toEqual([])
    expect(accepted).toEqual(new Set(hotkeys(subnet.voters)))
  })
})

// Protocol §6.5: every transcript is replayed, and one fault voids the whole lane, regardless of
// who attests it.
describe('forged-transcripts', () => {
  const root = testFolder('forged')

  testLies(FORGED_TRANSCRIPTS)

  const HOSTILE = '\u001b]0;owned\u0007\u001b[2Jtext\u009b31m\u202e\u200b\r\n\u2028\u0000\ufeff'
  const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
  /** A subnet whose miners commit and reply control characters of terminals. */
  class Hostile extends OneLiar {
    protected override minerCommitment({ hotkey }: Account): Commitment {
      return { kind: 'miner', model: `m-${hotkey}`, revision: HOSTILE, chute: HOSTILE }
    }
  }

  it('shows no forged sample and no control character in af-verify and af explain', async () => {
    const subnet = new Hostile(LOCAL_NETWORK)
    const { liar, honest } = subnet
    const state = await subnet.state
    const made = 'a reply that was made up'
    const alter = byContender(() => ({ reward: 1 }))
    const lie = await subnet.sealLie({ reply: () => made, alter })
    await subnet.sealAll(state, honest, { reply: () => HOSTILE })
    await subnet.attestAll(state)
    await subnet.end(state)
    const network = ['--network', await writeSubnet(subnet, root)]
    const verify = (...words: readonly string[]) => runVerifier([root, ...network, ...words])
    const explain = ['explain', ...network, '--buckets', root, '--hotkey', contender.hotkey]

    const text = await verify('--sample', 'mult8#0')
    const json = await verify('--sample', 'mult8#0', '--json')
    const all = await verify('--samples', '--json')
    const none = await verify('--sample', 'mult8#9999')
    const results = [await runAf([...explain, '--verbose']), text, json, all, none]
    expect(results.map(({ code }) => code)).toEqual([0, 1, 1, 1, 1])
    for (const { stdout, stderr } of results)
      expect([stdout.includes(made), UNSAFE.exec(stdout + stderr)]).toEqual([false, null])

    expect(text.stdout).toContain(`${liar.hotkey}: WRONG_REWARD: block ${lie.hash}, line `)
    expect(text.stdout).toContain('text')
    expect(text.stdout.match(/^ {2}champion 5\w+: reward /gm)).toHaveLength(honest.length)
    expect(text.stdout).toContain(`\n  contender ${contender.hotkey}: reward `)
    expect(json.stdout.match(/"type":"sample"/g)).toHaveLength(2 * honest.length)
    const records = all.stdout.match(/.+/g)?.map((line) => JSON.parse(line)) ?? []
    const kinds = records.map(({ type }): string => type)
    // The records of samples precede their epoch's record. The first two epochs have no samples.
    expect(kinds.indexOf('sample')).toBe(kinds.indexOf('epoch') + 2)
    const samples = records.filter(({ type }) => type === 'sample')
    expect(new Set(samples.map(({ epoch }) => epoch))).toEqual(new Set([2]))
    expect(new Set(samples.map(({ validator }) => validator))).toEqual(new Set(hotkeys(honest)))
    const [{ sample }] = samples.filter((each) => 'miner' in each.sample)
    expect(sample.messages[1].content).toBe(normalise(HOSTILE))
    expect(none.stderr).toContain('no sample in a valid lane matches mult8#9999')
    expect(none.stdout).toContain(`${liar.hotkey}: WRONG_REWARD: `)
  })
})
