import { setMaxListeners } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blockPath, checkBlock, LIMITS, statePath } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import {
  type Account,
  account,
  BLOCK_MS,
  type LocalChain,
  type Snapshot,
  type UidWeights,
  verify,
} from '@affine/chain'
import { listSeals, LOCAL_NETWORK as network } from '@affine/settlement'
import { describe, expect, it, vi } from 'vitest'
import { Clock } from '../../../test/simulate/clock.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { Phase } from '../src/epoch.ts'
import { createOwnTask, samplingBlocks } from '../src/own-lane.ts'
import type { Event, Setup } from '../src/setup.ts'
import type { Validator } from '../src/validator.ts'
import {
  chainOf,
  contender,
  FIRST,
  miner,
  own,
  reply,
  START,
  startBeforeDuel,
  tempo,
  validatorOf,
} from './one-validator.ts'

/** An unregistered hotkey. */
const stranger = account(new Uint8Array(32).fill(9)).hotkey
/** The numbers of samples and episodes in a lane. */
const quotas = Object.values(network.protocol.envs)
const LANE = quotas.reduce((sum, { players, quotaFirst }) => sum + quotaFirst * (3 - players), 0)
const EPISODES = quotas.reduce((sum, { quotaFirst }) => sum + 2 * quotaFirst, 0)
const root = testFolder('validator')

const withheldIn = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'withheld' ? [`${event.task.kind} ${event.task.epoch}`] : [],
  )

/** Produces blocks up to `block` without the validator. */
async function produceAlone(chain: LocalChain, block: number): Promise<void> {
  while (chain.height < block) await chain.produce(chain.height * BLOCK_MS)
}

/** Changes the snapshots that a chain returns. */
function alterSnapshots(
  chain: LocalChain,
  change: (snapshot: Snapshot, block: number) => Snapshot,
): void {
  const read = chain.snapshot.bind(chain)
  chain.snapshot = async (block) => change(await read(block), block)
}

const phaseOf = (setup: object = {}) => new Phase(1, { on: () => {}, ...setup } as unknown as Setup)

it('lets any number of reads wait for a deadline without a leak warning', () => {
  using warn = vi.spyOn(process, 'emitWarning')
  const { sampling, audit, whole } = phaseOf()
  for (const { signal } of [sampling, audit, whole])
    for (let read = 0; read < 20; read++) signal.addEventListener('abort', () => read)
  expect(warn).not.toHaveBeenCalled()
})

it.each([
  [89, [false, false, false]],
  [90, [true, false, false]],
  [279, [true, false, false]],
  [280, [true, true, false]],
])('at block %i of 300, with seals at 100, has ended sampling, audit and epoch: %j', (...row) => {
  const [offset, over] = row
  const phase = phaseOf()
  const isOver = () =>
    [phase.sampling, phase.audit, phase.whole].map(({ signal }) => signal.aborted)
  phase.advance(offset, { ...network.protocol, epochBlocks: 300, sealBlock: 100 })
  expect(isOver()).toEqual(over)
  phase.end()
  expect(isOver()).toEqual([true, true, true])
})

it('reports a bucket that is too slow', async () => {
  const clock = new Clock()
  const events: Event[] = []
  const openBucket = (name: string) => ({ name, read: () => new Promise<never>(() => {}) })
  const { reader } = phaseOf({ clock, openBucket, on: (event: Event) => events.push(event) })
  const reading = reader.open('slow', '')?.read('x', 1) ?? Promise.reject()
  await expect(clock.pass(reading)).rejects.toMatchObject({ code: 'dropped' })
  expect(events).toEqual([{ type: 'slow', hotkey: 'slow' }])
})

it('estimates the time for games from the pace of the last blocks', async () => {
  const chain = await chainOf([miner, contender])
  const folder = join(root, 'games-time')
  const { follow, validator } = validatorOf(chain, folder)
  await follow(START + 3)
  const { state } = validator
  const taskOf = async (account: Account) => {
    const clock = { now: () => 5 }
    const setup = { chain, account, folder, store: directoryBucket(folder), clock }
    const { signal } = new AbortController()
    return state && createOwnTask(setup as unknown as Setup, state, signal)
  }
  const blocks = samplingBlocks(network.protocol)
  expect((await taskOf(own))?.gamesTime).toMatchObject({
    samplingMs: blocks * BLOCK_MS,
    endsAt: 5 + (blocks - 3) * BLOCK_MS,
  })
  expect(await taskOf(miner)).toBeUndefined()
})

describe('a validator', () => {
  it('waits for the first epoch of its network', async () => {
    const first = { ...network, firstEpoch: FIRST }
    const waiting = validatorOf(await chainOf(), join(root, 'waiting'), { network: first })
    await waiting.follow(START - 1)
    expect([...waiting.problems(), ...waiting.sent()]).toEqual([])
    expect(waiting.validator.state).toBeUndefined()
    await waiting.follow(START)
    expect(waiting.problems()).toEqual([])
    expect(waiting.validator.state?.epoch).toBe(FIRST)
  })

  it('sends no weights of a past epoch, and does not delay the next epoch for them', async () => {
    const chain = await chainOf()
    let answer = (): void => {}
    const late = new Promise<void>((resolve) => {
      answer = resolve
    })
    const read = chain.snapshot.bind(chain)
    let calls = 0
    // The settlement of epoch 0 and the weights of epoch 1 need the same snapshot. Only the
    // settlement gets it immediately.
    chain.snapshot = async (block) => {
      if (block === tempo - 1 && ++calls === 2) await late
      return read(block)
    }
    const { validator, produce, sent } = validatorOf(chain, join(root, 'slow'))
    const isAt = async (block: number): Promise<void> => {
      while (chain.height < block) {
        await produce()
        for (let i = 0; i < 40; i++) await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    await isAt(2 * tempo + 1)
    await expect.poll(() => validator.state?.epoch).toBe(2)
    expect(calls).toBe(2)
    answer()
    await validator.idle()
    await isAt(2 * tempo + 3)
    await validator.idle()
    expect(sent().filter((what) => what.startsWith('weights'))).toEqual(['weights 2'])
  })

  it.each<[string, string | undefined, Record<string, UidWeights>]>([
    ['the owner', miner.hotkey, { [own.hotkey]: [[1, 65_535]] }],
    ['no one if there is no owner', undefined, {}],
    ['no one if the owner is not registered', stranger, {}],
  ])('without a champion gives its weight to %s', async (_, owner, want) => {
    const chain = await chainOf()
    alterSnapshots(chain, (snapshot) => ({ ...snapshot, owner, commitments: [] }))
    await validatorOf(chain, join(root, `empty-${owner}`)).follow(tempo + 2)
    expect(await chain.weights(chain.height)).toEqual(want)
  })

  it.each([
    [0, false],
    [-1, true],
  ])(
    'if weights were last set at the beacon block plus %i, sets them: %s',
    async (after, isSet) => {
      const chain = await chainOf()
      alterSnapshots(chain, (snapshot) => ({
        ...snapshot,
        neurons: snapshot.neurons.map((neuron) => ({ ...neuron, lastUpdate: tempo + after })),
      }))
      const { follow, sent } = validatorOf(chain, join(root, `updated${after}`))
      await follow(tempo + 1)
      expect(sent().includes('weights 1')).toBe(isSet)
    },
  )

  it('gives no weight to the miner with the uid of the evicted champion', async () => {
    const chain = await chainOf()
    alterSnapshots(chain, (snapshot, block) => ({
      ...snapshot,
      neurons: snapshot.neurons.map(({ hotkey, ...neuron }) => {
        const isEvicted = hotkey === miner.hotkey && block >= tempo
        return { ...neuron, hotkey: isEvicted ? stranger : hotkey }
      }),
    }))
    await validatorOf(chain, join(root, 'evicted')).follow(tempo + 5)
    expect(await chain.weights(chain.height)).toEqual({})
  })

  it('seals, decides and sets weights while its bucket rejects writes, and attests once the bucket has the state', async () => {
    const disk = directoryBucket(join(root, 'outage-bucket'))
    const started = await startBeforeDuel(join(root, 'outage'), { bucket: disk })
    const { follow, sent, problems, validator } = started
    const write = vi.spyOn(disk, 'write').mockRejectedValue(new Error('status 503'))
    await follow(START + tempo + 4)
    expect(sent()).toContain(`seal ${FIRST}`)
    expect(sent()).not.toContain(`attest ${FIRST}`)
    expect(validator.state?.epoch).toBe(FIRST + 1)
    expect(sent()).toContain(`weights ${FIRST + 1}`)
    const failed = problems().map(({ task }) => task)
    expect(failed).toContainEqual({ kind: 'state', epoch: FIRST })
    expect(failed).toContainEqual({ kind: 'lane', epoch: FIRST, hotkey: own.hotkey })
    expect(failed).not.toContainEqual({ kind: 'head' })
    write.mockRestore()
    await follow(START + 2 * tempo - 2)
    expect(sent()).toContain(`attest ${FIRST + 1}`)
    expect(await disk.read(statePath(FIRST + 1), LIMITS.blockBytes)).not.toBeNull()
  })

  it('sets weights once an epoch despite restarts, and no weights of an epoch in the next epoch', async () => {
    const chain = await chainOf()
    const { calls } = vi.spyOn(chain, 'setWeights').mock
    const folder = join(root, 'last block')
    for (const block of [tempo + 2, 2 * tempo + 2]) {
      const { follow, problems } = validatorOf(chain, folder)
      await follow(block)
      expect(problems()).toEqual([])
    }
    expect(calls.map(([, , until]) => until)).toEqual([2 * tempo - 1, 3 * tempo - 1])
    await produceAlone(chain, 4 * tempo - 2)
    await validatorOf(chain, join(root, 'too late')).follow(4 * tempo - 1)
    expect(calls).toHaveLength(2)
  })

  it('creates its lane once although the chain refuses its seal', async () => {
    const store = directoryBucket(join(root, 'refused'))
    const write = vi.spyOn(store, 'write')
    const { chain, follow, sent, problems } = await startBeforeDuel(join(root, 'refused'), {
      store,
    })
    const error = new Error('no room')
    const commit = vi.spyOn(chain, 'commit').mockRejectedValue(error)
    await follow(START + 2)
    const task = { kind: 'seal', epoch: FIRST }
    expect(problems()).toEqual(Array(3).fill({ type: 'problem', task, phase: 'send', error }))
    commit.mockRestore()
    await follow(START + 4)
    expect(sent()).toContain(`seal ${FIRST}`)
    expect(write.mock.calls.filter(([path]) => path.includes('blocks'))).toHaveLength(1)
  })

  it('sends nothing in a dry run, and reports each withheld transaction once', async () => {
    const chain = await chainOf()
    const { events, follow } = validatorOf(chain, join(root, 'dry'), { emit: false })
    await follow(2 * tempo + 5)
    expect(chain.export().match(/"signature"/g)?.length).toBe(1) // the miner's
    expect(withheldIn(events)).toEqual(['attest 0', 'weights 1', 'attest 1', 'weights 2'])
    expect(events.filter(({ type }) => type === 'sent' || type === 'problem')).toEqual([])
  })
})

describe('a validator that is stopped', () => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5))
  /** Stops the validator, and produces blocks until it has stopped. */
  async function stopAndProduce(chain: LocalChain, validator: Validator): Promise<void> {
    let isDone = false
    const stopping = validator.stop().finally(() => {
      isDone = true
    })
    await validator.idle()
    for (await pause(); !isDone; await pause()) await chain.produce(chain.height * BLOCK_MS)
    await stopping
  }
  /** An interrupted call. */
  const hang = async (signal: AbortSignal) => {
    setMaxListeners(0, signal)
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    return { fault: 'no-reply' } as const
  }
  const journal = async (name: string): Promise<readonly string[]> =>
    (await readFile(join(root, name, `journal/${FIRST}.jsonl`), 'utf8'))
      .trimEnd()
      .split('\n')
      .slice(1)
  const seals = (events: readonly Event[]) =>
    events.filter((event) => event.type === 'sent' && event.task.kind === 'seal')
  const commitment = async (chain: LocalChain) =>
    (await chain.snapshot(chain.height)).commitments.find(({ hotkey }) => hotkey === own.hotkey)
      ?.fields

  it('stores the samples of a partial lane, blames no miner, and later completes the same lane', async () => {
    const { chain: never, ...without } = await startBeforeDuel(join(root, 'never'), {
      bucketUrl: 'b',
    })
    await without.follow(START + 3)

    let left = 40
    const agent: Setup['agent'] = (of, replyMs, epoch) => async (messages) => {
      if (left-- > 0) return reply(of, replyMs, epoch)(messages)
      return hang(epoch.signal)
    }
    const { chain, folder, ...first } = await startBeforeDuel(join(root, 'twice'), {
      agent,
      bucketUrl: 'b',
    })
    await first.produce()
    while (left > 0) await pause()
    await stopAndProduce(chain, first.validator)
    const stored = await journal('twice')
    expect(stored.length).toBeGreaterThan(0)
    expect(stored.length).toBeLessThan(LANE)
    expect(stored.join()).not.toContain('no-reply')
    expect(first.problems()).toEqual([])
    expect(seals(first.events)).toEqual([])

    const asking = vi.fn(reply)
    const again = validatorOf(chain, folder, { bucketUrl: 'b', agent: asking })
    await again.follow(START + 3)
    const storedEpisodes = stored.reduce((sum, line) => sum + (line.includes('"hex@') ? 2 : 1), 0)
    expect(asking).toHaveBeenCalledTimes(EPISODES - storedEpisodes)
    expect(seals(again.events).length).toBe(1)
    expect(seals(again.events)).toEqual(
      seals(without.events).map((event) => ({ ...event, block: expect.any(Number) })),
    )
    const [played, want] = [await journal('twice'), await journal('never')]
    expect([...played].sort()).toEqual([...want].sort())
    expect(await commitment(chain)).toEqual(await commitment(never)) // the head of the lane is in it
  })

  it('seals a complete lane and waits for the block', async () => {
    const { chain, validator, events, produce } = await startBeforeDuel(join(root, 'whole'))
    await produce()
    while ((await journal('whole').catch(() => [])).length < LANE) await pause()
    const before = chain.height
    await stopAndProduce(chain, validator)
    expect(chain.height).toBeGreaterThan(before)
    expect(seals(events)).toEqual([
      { type: 'sent', task: { kind: 'seal', epoch: FIRST }, block: expect.any(Number) },
    ])
  })

  it('replays its own lane before the seal in its thread, and in other threads only after a restart', async () => {
    const audited: string[] = []
    const check: Setup['check'] = (bytes, wanted) => {
      audited.push(wanted.hash)
      return checkBlock(bytes, { ...wanted, verify })
    }
    const { sealBlock } = network.protocol
    const { chain, folder, ...first } = await startBeforeDuel(join(root, 'once'), { check })
    await first.follow(START + sealBlock - 1)
    const head = listSeals(await chain.snapshot(chain.height), FIRST)[own.hotkey] ?? ''
    await first.follow(START + sealBlock)
    expect(await first.bucket.read(blockPath(head), LIMITS.blockBytes)).not.toBeNull()
    expect(first.sent()).not.toContain(`attest ${FIRST}`)
    await first.follow(START + sealBlock + 2)
    expect(first.sent()).toContain(`attest ${FIRST}`)
    expect(audited).toEqual([])
    const again = validatorOf(chain, folder, { agent: reply, check })
    await again.follow(START + sealBlock + 4)
    expect(audited).toContain(head)
    expect(new Set(audited).size).toBe(audited.length)
    await again.follow(START + tempo + 1)
    expect([...first.problems(), ...again.problems()]).toEqual([])
  })

  it('reads the lanes of the previous epoch if it returns in the last block of an epoch', async () => {
    const folder = join(root, 'away')
    const options = { account: miner, emit: false, agent: reply }
    const { chain, ...first } = await startBeforeDuel(join(root, 'present'))
    const away = validatorOf(chain, folder, options)
    for (const number of [START, START + 1]) {
      await first.follow(number)
      away.validator.onHead({ number, hash: await chain.blockHash(number) })
      await away.validator.idle()
    }
    await first.follow(START + 2 * tempo - 2)
    const back = validatorOf(chain, folder, options)
    await back.follow(START + 2 * tempo - 1)
    expect([...away.problems(), ...back.problems()]).toEqual([])
    expect(back.validator.state).toEqual(first.validator.state)
    // The validator has no permit.
    expect(withheldIn(away.events).join()).not.toContain('weights')
  })

  it.each([1, 2])('publishes its sealed lane after a restart %d epochs later', async (later) => {
    const { chain, folder, ...first } = await startBeforeDuel(join(root, `dead-${later}`))
    await first.follow(START + network.protocol.sealBlock - 1)
    expect(seals(first.events)).toHaveLength(1)
    // The chain continues without the validator.
    await produceAlone(chain, START + later * tempo)
    const head = listSeals(await chain.snapshot(chain.height), FIRST)[own.hotkey] ?? ''
    const again = validatorOf(chain, folder, { agent: reply })
    expect(await again.bucket.read(blockPath(head), LIMITS.blockBytes)).toBeNull()
    await again.follow(START + later * tempo + 1)
    expect(again.problems()).toEqual([])
    expect(await again.bucket.read(blockPath(head), LIMITS.blockBytes)).not.toBeNull()
  })

  it('makes missing replies forfeits if it stops after the deadline of its lane', async () => {
    const asking = vi.fn(hang)
    const agent: Setup['agent'] =
      (_, __, { signal }) =>
      () =>
        asking(signal)
    const { chain, validator, produce } = await startBeforeDuel(join(root, 'deadline'), { agent })
    const { sealBlock } = network.protocol
    await produce()
    while (asking.mock.calls.length === 0) await pause()
    while (chain.height < START + sealBlock - 2) await produce()
    await stopAndProduce(chain, validator)
    expect((await journal('deadline')).length).toBe(LANE)
    for (const line of await journal('deadline')) {
      // Only the mover loses a game that was begun.
      const faults = line.includes('"hex@') ? [1, 2] : [1]
      expect(line.split('no-reply').length - 1).toBeOneOf(faults)
    }
  })
})
