import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { account, encodeCommitment, type Head, LocalChain } from '@affine/chain'
import { beaconBlock, NETWORKS, LOCAL_NETWORK as network } from '@affine/verifier'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Event, emits, folders } from '../src/setup.ts'
import { Validator } from '../src/validator.ts'

const STAKE = 1_000_000_000_000
const [own, miner] = [account(new Uint8Array(32).fill(1)), account(new Uint8Array(32).fill(2))]
const tempo = network.protocol.epochBlocks
let root: string
let count = 0

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'validator-'))
})
afterAll(() => rm(root, { recursive: true }))

/** A chain with one validator and one miner, which nobody contends. */
async function chainOf(): Promise<LocalChain> {
  let drawn = 0
  const neurons = [own, miner].map(({ hotkey }) => ({ hotkey, stake: hotkey === own.hotkey ? BigInt(STAKE) : 0n }))
  const params = { tempo, weightsRateLimit: 1, stakeThreshold: STAKE }
  const chain = LocalChain.create({ netuid: 120, random: () => new Uint8Array(32).fill(drawn++), neurons, params })
  const fields = encodeCommitment({ kind: 'miner', model: `m-${miner.hotkey}`, revision: 'main', chute: 'c' })
  const included = chain.commit(miner, fields)
  await chain.produce(0)
  await included
  return chain
}

function validatorOf(chain: LocalChain, folder: string, emit = true) {
  const events: Event[] = []
  const validator = new Validator({
    ...folders(folder, join(root, 'buckets'), `b${folder.length}-${count++}`),
    ...{ chain, account: own, network, emit, now: () => 0, random: (size: number) => new Uint8Array(size).fill(9) },
    agent: () => async () => ({ fault: 'no-reply' }) as const,
    on: (event) => events.push(event),
  })
  /** Makes blocks up to `block`, and lets the validator do at each what is due. */
  const follow = async (block: number): Promise<void> => {
    while (chain.height < block) {
      validator.onHead(await chain.produce(0))
      await validator.idle()
    }
  }
  const sent = (): readonly string[] => events.flatMap((event) => (event.type === 'sent' ? [event.what] : []))
  return { validator, events, sent, follow }
}

const weightCalls = (chain: LocalChain): number => chain.export().match(/"weights":\[\[1,65535\]\]/g)?.length ?? 0

describe('a validator', () => {
  it('sets its weights once an epoch, however often it is started again', async () => {
    const chain = await chainOf()
    const folder = join(root, 'weights')
    const first = validatorOf(chain, folder)
    await first.follow(tempo + 2)
    expect(first.sent()).toContain('weights 1')
    expect(weightCalls(chain)).toBe(1)
    const second = validatorOf(chain, folder)
    await second.follow(2 * tempo - 1)
    expect(second.events.filter(({ type }) => type === 'problem')).toEqual([])
    expect(weightCalls(chain)).toBe(1)
    await second.follow(2 * tempo + 2)
    expect(second.sent().filter((what) => what.startsWith('weights'))).toEqual(['weights 2'])
    expect(weightCalls(chain)).toBe(2)
    const { neurons } = await chain.snapshot(chain.height)
    expect(neurons[0]?.lastUpdate).toBe(beaconBlock(2, network.protocol) + 1)
  })

  it('reveals at every head, one at a time, and says what came of it', async () => {
    const reveals: ((outcome: Head | null | Promise<never>) => void)[] = []
    const reveal = () => new Promise<Head | null>((settle) => reveals.push(settle))
    const chain = Object.assign(await chainOf(), { reveal })
    const { validator, events } = validatorOf(chain, join(root, 'reveal'))
    const head = async (): Promise<void> => validator.onHead(await chain.produce(0))
    await head()
    await head()
    expect(reveals.length).toBe(1)
    reveals[0]?.(null)
    await validator.idle()
    expect(events).toEqual([])
    await head()
    reveals[1]?.({ number: 7, hash: '' })
    await validator.idle()
    await head()
    reveals[2]?.(Promise.reject(new Error('RevealTooEarly')))
    await validator.idle()
    await head()
    expect(reveals.length).toBe(4)
    reveals[3]?.(null)
    await validator.idle()
    expect(events).toMatchObject([
      { type: 'sent', what: 'reveal', block: 7 },
      { type: 'problem', what: 'reveal', error: { message: 'RevealTooEarly' } },
    ])
  })

  it('in a dry run sends nothing, and says once what it withholds', async () => {
    const reveal = () => Promise.reject(new Error('tried to reveal'))
    const chain = Object.assign(await chainOf(), { reveal })
    const { events, follow } = validatorOf(chain, join(root, 'dry'), false)
    await follow(2 * tempo + 5)
    expect(chain.export().match(/"signature"/g)?.length).toBe(1) // the miner's
    const withheld = events.flatMap((event) => (event.type === 'withheld' ? [event.what] : []))
    expect(withheld).toEqual(['attest 0', 'weights 1', 'attest 1', 'weights 2'])
    expect(events.filter(({ type }) => type === 'sent' || type === 'problem')).toEqual([])
  })

  it('sends on finney when told to, elsewhere unless told not to', () => {
    const ways = [{}, { emit: true }, { dryRun: true }] as const
    const sends = (name: string) => ways.map((way) => emits({ ...network, ...NETWORKS[name] }, way))
    expect(sends('finney')).toEqual([false, true, false])
    for (const name of ['test', 'local']) expect(sends(name)).toEqual([true, true, false])
  })
})
