import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account, Commitment } from '@affine/chain'
import { normalise } from '@affine/envs'
import { LOCAL_NETWORK, sealBlock } from '@affine/settlement'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeSubnet } from '../../../test/attacks/af-verify.ts'
import { OneLiar } from '../../../test/attacks/one-liar.ts'
import { FIRST_DUEL, type LanePlan, ReadingSubnet } from '../../../test/attacks/reading-subnet.ts'
import { runVerifier } from '../../../test/in-process.ts'
import { AF_VERIFY, killAll, run } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'

const HOSTILE = '\u001b]0;owned\u0007\u001b[2Jtext\u009b31m\u202e\u200b\r\n\u2028\u0000\ufeff'
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const challenge = '1'.repeat(32)
const root = testFolder('evil')

/**
 * A chain on which one validator, with all the weight, seals, publishes and attests a lane that
 * nobody honest would have signed: its texts are what a terminal would act on. Blocks are well
 * formed, so that only reading the lane shows it.
 */
class Evil extends ReadingSubnet {
  protected override minerSays({ hotkey }: Account): Commitment {
    return { kind: 'miner', model: `m-${hotkey}`, revision: HOSTILE, chute: HOSTILE }
  }
}
const subnet = new Evil([1], 0, LOCAL_NETWORK)
const [{ hotkey: evil }] = subnet.voters as [Account]
let chainFile: string
let head: string

beforeAll(async () => {
  const state = await subnet.begin()
  const messages = (['user', 'assistant'] as const).map((role) => ({ role, content: HOSTILE }))
  const made = { reward: 1, ms: 0, messages }
  const alter: LanePlan['alter'] = ([sample]) => {
    if (sample === undefined || 'miner' in sample) throw new Error('no game')
    const { champion, contender } = sample
    const sides = { champion: { ...champion, ...made }, contender: { ...contender, ...made } }
    return [{ ...sample, challengeId: challenge, ...sides }]
  }
  const [own] = subnet.voters as [Account]
  const block = await subnet.lane(own, state, { reply: () => 'x', alter })
  head = block.hash
  subnet.put(block)
  await subnet.seal(own, state, head)
  await subnet.produceTo(sealBlock(FIRST_DUEL, LOCAL_NETWORK.protocol))
  await subnet.attest(own, state, [evil])
  await subnet.end(state)
  chainFile = await writeSubnet(subnet, root)
})
afterAll(killAll)

describe('evidence that its validator made up', () => {
  it('voids its lane, with the fault’s code and place, and decides nothing', async () => {
    const epochs = await subnet.recompute()
    const flaws = epochs.flatMap((epoch) => epoch.flaws)
    expect(flaws).toMatchObject([{ epoch: FIRST_DUEL, validator: evil, code: 'WRONG_CHALLENGE' }])
    expect(flaws[0]?.detail).toContain(`block ${head}, line 2`)
    expect(epochs[FIRST_DUEL]?.report.lanes[evil]).toMatchObject({
      sealed: true,
      attested: true,
      accepted: false,
    })
  })

  it('is not shown: what is said is whose lane is void, and why', async () => {
    const words = [root, '--network', chainFile, '--challenge', challenge]
    const { code, stdout, stderr } = await run(AF_VERIFY, words)
    expect(code).toBe(1)
    expect(stdout).toContain(`${evil}: WRONG_CHALLENGE: block ${head}, line 2`)
    expect(stdout).not.toContain('text')
    expect(stderr).toBe(
      `af-verify: no sample matches ${challenge} in a valid lane. ` +
        `Samples of invalid lanes are not shown: ${evil} in epoch ${FIRST_DUEL} (WRONG_CHALLENGE)\n`,
    )
  })
})

describe('what miners reply', () => {
  it.each([
    ['text', []],
    ['JSON', ['--json']],
  ])('is shown as %s without anything that a terminal would act on', async (_, format) => {
    const subnet = new OneLiar(LOCAL_NETWORK)
    await subnet.sealLie({ reply: () => HOSTILE })
    await subnet.beHonest()
    await subnet.end(await subnet.state)
    const folder = await mkdtemp(join(root, 'replies-'))
    const network = ['--network', await writeSubnet(subnet, folder)]
    const filters = ['--sample', 'mult8#0', '--validator', subnet.liar.hotkey]
    const { stdout } = await runVerifier([folder, ...network, ...filters, ...format])
    expect(stdout).toContain('text')
    expect(UNSAFE.exec(stdout)).toBeNull()
    if (format.length === 0) return
    const [, record] = stdout.split('\n')
    const { messages } = JSON.parse(record ?? '').sample
    expect(messages[1].content).toBe(normalise(HOSTILE))
  })
})
