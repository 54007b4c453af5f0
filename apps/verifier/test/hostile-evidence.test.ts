import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blockPath, commitmentOf, NO_BLOCK, type Sample, writeBlock } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { type Account, account, type Commitment, encodeCommitment, LocalChain } from '@affine/chain'
import { firstState, type State, stateRoot } from '@affine/duel'
import { normalise } from '@affine/envs'
import { decideEpoch, LOCAL_NETWORK, recompute } from '@affine/settlement'
import { openBucket } from '@affine/settlement/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeSubnet } from '../../../test/attacks/af-verify.ts'
import { OneLiar } from '../../../test/attacks/one-liar.ts'
import { runVerifier } from '../../../test/in-process.ts'
import { AF_VERIFY, killAll, run } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'

const HOSTILE = '\u001b]0;owned\u0007\u001b[2Jtext\u009b31m\u202e\u200b\r\n\u2028\u0000\ufeff'
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const NETUID = 120
const STAKE = 1_000_000_000_000
const network = LOCAL_NETWORK
const [evil, first, second] = [1, 2, 3].map((n) => account(new Uint8Array(32).fill(n))) as [
  Account,
  Account,
  Account,
]
const challenge = '1'.repeat(32)
const root = testFolder('evil')
let chainFile: string
let head: string

/**
 * A chain on which one validator, with all the weight, seals, publishes and attests a lane that
 * nobody honest would have signed: its texts are what a terminal would act on. Blocks are well
 * formed, so that only reading the lane shows it.
 */
beforeAll(async () => {
  chainFile = join(root, 'chain.json')
  const { epochBlocks: tempo } = network.protocol
  const neurons = [evil, first, second].map(({ hotkey }) => ({
    hotkey,
    stake: hotkey === evil.hotkey ? BigInt(STAKE) : 0n,
  }))
  const params = { tempo, weightsRateLimit: 1, stakeThreshold: STAKE }
  let drawn = 0
  const chain = LocalChain.create({
    netuid: NETUID,
    random: () => new Uint8Array(32).fill(drawn++),
    neurons,
    params,
  })
  const bucket = directoryBucket(join(root, 'buckets', evil.hotkey))
  const produceTo = async (block: number): Promise<void> => {
    while (chain.height < block) await chain.produce(0)
  }
  const commit = async (who: Account, commitment: Commitment): Promise<void> => {
    const included = chain.commit(who, encodeCommitment(commitment))
    await chain.produce(0)
    await included
  }
  const secret = '5e'.repeat(32)
  const scope = { genesis: chain.genesis, netuid: NETUID, validator: evil.hotkey }
  const attest = (state: State, bitmap: Uint8Array) =>
    commit(evil, {
      kind: 'attest',
      epoch: state.epoch,
      bitmap,
      url: evil.hotkey,
      stateRoot: stateRoot(state),
      next: commitmentOf({ ...scope, epoch: state.epoch + 1, secret }),
    })

  for (const who of [first, second]) {
    await commit(who, {
      kind: 'miner',
      model: `m-${who.hotkey}`,
      revision: HOSTILE,
      chute: HOSTILE,
    })
  }
  const start = firstState(network.protocol, network.firstEpoch)
  await attest(start, new Uint8Array(16))
  await produceTo(tempo)
  const { state } = await decideEpoch({ chain, network }, start, () =>
    Promise.reject(new Error('nobody was due')),
  )
  const { duel } = state
  if (duel === undefined) throw new Error('no duel')
  const episode = (miner: string) => ({
    miner,
    reward: 1,
    ms: 0,
    messages: [
      { role: 'user' as const, content: HOSTILE },
      { role: 'assistant' as const, content: HOSTILE },
    ],
  })
  const sample: Sample = {
    env: 'mult8@0.1.0',
    duel: duel.id,
    index: 0,
    challengeId: challenge,
    verdict: 'tie',
    champion: episode(duel.champion.hotkey),
    contender: episode(duel.contender.hotkey),
  }
  const place = { ...scope, epoch: 1, height: 0, prev: NO_BLOCK, time: 0 }
  const block = await writeBlock({ ...place, secret, samples: [sample], sign: evil.sign })
  head = block.hash
  await bucket.write(blockPath(head), block.bytes)
  await commit(evil, { kind: 'seal', epoch: 1, head, url: evil.hotkey })
  await produceTo(tempo + network.protocol.sealBlock)
  await attest(state, new Uint8Array(16).fill(1, 0, 1))
  await produceTo(2 * tempo)
  await writeFile(chainFile, chain.export())
})
afterAll(killAll)

describe('evidence that its validator made up', () => {
  it('voids its lane, with the fault’s code and place, and decides nothing', async () => {
    const chain = LocalChain.import(await readFile(chainFile, 'utf8'))
    const open = (hotkey: string, url: string) =>
      openBucket(hotkey, url, { base: join(root, 'buckets') })
    const epochs = []
    for await (const epoch of recompute({ chain, network, openBucket: open })) epochs.push(epoch)
    const flaws = epochs.flatMap((epoch) => epoch.flaws)
    expect(flaws).toMatchObject([{ epoch: 1, validator: evil.hotkey, code: 'WRONG_CHALLENGE' }])
    expect(flaws[0]?.detail).toContain(`block ${head}, line 2`)
    expect(epochs[1]?.report.lanes[evil.hotkey]).toMatchObject({
      sealed: true,
      attested: true,
      accepted: false,
    })
  })

  it('is not shown: what is said is whose lane is void, and why', async () => {
    const words = [join(root, 'buckets'), '--network', chainFile, '--challenge', challenge]
    const { code, stdout, stderr } = await run(AF_VERIFY, words)
    expect(code).toBe(1)
    expect(stdout).toContain(`${evil.hotkey}: WRONG_CHALLENGE: block ${head}, line 2`)
    expect(stdout).not.toContain('text')
    expect(stderr).toBe(
      `af-verify: no sample matches ${challenge} in a valid lane. ` +
        `Samples of invalid lanes are not shown: ${evil.hotkey} in epoch 1 (WRONG_CHALLENGE)\n`,
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
    const folder = await mkdtemp(join(tmpdir(), 'replies-'))
    try {
      const network = ['--network', await writeSubnet(subnet, folder)]
      const filters = ['--sample', 'mult8#0', '--validator', subnet.liar.hotkey]
      const { stdout } = await runVerifier([folder, ...network, ...filters, ...format])
      expect(stdout).toContain('text')
      expect(UNSAFE.exec(stdout)).toBeNull()
      if (format.length === 0) return
      const [, record] = stdout.split('\n')
      const { messages } = JSON.parse(record ?? '').sample.champion
      expect(messages[1].content).toBe(normalise(HOSTILE))
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
