import { make } from '@affine/envs'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  blockReader,
  checkBlock,
  commitmentOf,
  LIMITS,
  NO_BLOCK,
  type Sample,
  verifyLane,
} from '../src/index.ts'
import { keyOf } from './keys.ts'
import { type Files, honestSamples, laneOf, plansOf, SECRET, scopeOf, toy } from './lane.ts'

const scope = scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 360, 'mult8@0.1.0': 180 })
let samples: Sample[]
let lane: Files

beforeAll(async () => {
  samples = await honestSamples(scope)
  lane = laneOf(toy, scope, plansOf(samples))
})

/** Counted another way than the lane does. */
function tallyOf(env: string) {
  const own = samples.filter((sample) => sample.env === env)
  const count = (verdict: string) => own.filter((sample) => sample.verdict === verdict).length
  const lowest = make(env).spec.lowestReward
  const earned = (role: 'champion' | 'contender') =>
    own.reduce((sum, sample) => sum + sample[role].reward - lowest, 0)
  // Of a game of tictactoe there are two points to be had, of a product one.
  const unit = env.startsWith('mult8') ? 1_000_000 : 500_000
  return {
    wins: count('win'),
    losses: count('loss'),
    played: own.length,
    contenderPoints: unit * earned('contender'),
    championPoints: unit * earned('champion'),
  }
}

describe('a whole lane', () => {
  it('has its tallies and its blocks, head first', async () => {
    const want = {
      tallies: {
        'tictactoe@0.1.0': tallyOf('tictactoe@0.1.0'),
        'mult8@0.1.0': tallyOf('mult8@0.1.0'),
      },
      blocks: [...lane.bytes.keys()].reverse(),
      unbegun: 0,
    }
    expect(await verifyLane(lane)).toEqual({ ok: true, value: want })
    expect(want.tallies['tictactoe@0.1.0'].wins).toBeGreaterThan(0)
    expect(samples.some(({ contender }) => contender.fault === 'no-reply')).toBe(true)
    expect(samples.some(({ champion }) => champion.fault === 'oversize')).toBe(true)
  })

  it('is the same whatever the order of its samples', async () => {
    const tallies = async (all: Sample[]) => {
      const read = await verifyLane(laneOf(toy, scope, plansOf(all)))
      return read.ok ? read.value.tallies : read
    }
    expect(await tallies([...samples].reverse())).toEqual(await tallies(samples))
  })

  it('may have its secret alone in the last block, after one of 256 samples', async () => {
    const full = scopeOf(toy.hotkey, { 'mult8@0.1.0': 256 })
    const plans = [...plansOf(await honestSamples(full)), { lines: [] }]
    expect((await verifyLane(laneOf(toy, full, plans))).ok).toBe(true)
  })

  it('may be empty when nothing had to be sampled', async () => {
    const idle = { ...scope, quota: {} }
    const read = await verifyLane(laneOf(toy, idle, [{ lines: [] }]))
    expect(read).toMatchObject({ ok: true, value: { tallies: {} } })
  })

  it('goes on from the seal before it', async () => {
    const next = laneOf(toy, scope, plansOf(samples), lane.head)
    expect((await verifyLane(next)).ok).toBe(true)
    expect(await verifyLane({ ...next, previous: NO_BLOCK })).toMatchObject({
      code: 'WRONG_PREVIOUS',
    })
  })

  it('holds under real keys', async () => {
    const key = keyOf(4)
    const own = scopeOf(key.hotkey, { 'tictactoe@0.1.0': 5, 'mult8@0.1.0': 5 })
    const real = laneOf(key, own, plansOf(await honestSamples(own)))
    expect((await verifyLane(real)).ok).toBe(true)
    expect(
      await verifyLane({ ...real, read: blockReader({ read: bucketOf(real) }, toy.verify) }),
    ).toMatchObject({
      code: 'WRONG_SIGNATURE',
    })
  })
})

describe('reading', () => {
  it('asks for one block after another, from the head back, within the limit', async () => {
    const asked: string[] = []
    const read = async (path: string, limit: number) => {
      expect(limit).toBe(LIMITS.blockBytes)
      asked.push(path.slice('v1/blocks/'.length, -'.jsonl'.length))
      return bucketOf(lane)(path)
    }
    await verifyLane({ ...lane, read: blockReader({ read }, toy.verify) })
    expect(asked).toEqual([...lane.bytes.keys()].reverse())
  })

  it('stops at the first block that is not full, whatever height the head has', async () => {
    const one = (from: number) => ({ lines: samples.slice(from, from + 1) })
    const plans = samples.map((_, i) => ({ ...one(i), header: { height: 2 ** 32 - 540 + i } }))
    const hostile = laneOf(toy, scope, plans)
    const read = vi.fn(hostile.read)
    expect(await verifyLane({ ...hostile, read })).toMatchObject({ code: 'SHORT_BLOCK' })
    expect(read).toHaveBeenCalledTimes(2)
  })

  it('stops once there are more samples than the quota has', async () => {
    const again = [...samples.slice(0, 512), ...samples.slice(0, 512)]
    const hostile = laneOf(toy, scope, plansOf(again))
    const read = vi.fn(hostile.read)
    expect(await verifyLane({ ...hostile, read })).toMatchObject({ code: 'WRONG_INDEX' })
    expect(read).toHaveBeenCalledTimes(3)
  })

  it('passes on what goes wrong in reading, and reads no further', async () => {
    const read = vi.fn(() => Promise.reject(new Error('no network')))
    await expect(verifyLane({ ...lane, read })).rejects.toThrow('no network')
    expect(read).toHaveBeenCalledTimes(1)
  })

  it('says where a fault is', async () => {
    const wrong = samples.map((sample, i) =>
      i === 265 ? { ...sample, verdict: sample.verdict === 'tie' ? 'win' : 'tie' } : sample,
    )
    const bad = laneOf(toy, scope, plansOf(wrong as Sample[]))
    const [, second] = [...bad.bytes.keys()]
    const read = await verifyLane(bad)
    expect(read).toMatchObject({
      code: 'WRONG_VERDICT',
      detail: expect.stringContaining(`block ${second}, line 11, tictactoe@0.1.0 265: `),
    })
  })

  it('refuses any altered byte anywhere in the lane', async () => {
    for (const [hash, bytes] of lane.bytes) {
      for (let at = 0; at < bytes.length; at += 19_997) {
        const flipped = bytes.slice()
        flipped[at]! ^= 0x20
        const read: Files['read'] = async (wanted) =>
          wanted.hash === hash
            ? checkBlock(flipped, { ...wanted, verify: toy.verify })
            : lane.read(wanted)
        if ((await verifyLane({ ...lane, read })).ok) expect.fail(`byte ${at} of ${hash}`)
      }
    }
  })
})

describe('a scope that makes no sense throws', () => {
  it.each([
    [
      'an environment that is not registered',
      { quota: { 'chess@1.0.0': 60 }, specHashes: { 'chess@1.0.0': NO_BLOCK } },
      /^"\w+" expected/,
    ],
    [
      'an environment without its specHash',
      { specHashes: {} },
      /^"specHashes" expected one for \w+@0.1.0, got none$/,
    ],
  ])('%s', async (_, change, message) => {
    await expect(verifyLane({ ...lane, scope: { ...scope, ...change } })).rejects.toThrow(message)
  })
})

it('has a commitment that every part goes into', () => {
  const parts = {
    genesis: scope.genesis,
    netuid: 1,
    validator: toy.hotkey,
    epoch: 1,
    secret: SECRET,
  }
  const changes = [
    {},
    { genesis: NO_BLOCK },
    { netuid: 2 },
    { validator: `${toy.hotkey}A` },
    { epoch: 2 },
    { secret: NO_BLOCK },
  ]
  const all = changes.map((change) => commitmentOf({ ...parts, ...change }))
  expect(new Set(all).size).toBe(changes.length)
})

function bucketOf({ bytes }: Files) {
  return async (path: string) => [...bytes].find(([hash]) => path.includes(hash))?.[1] ?? null
}
