import {
  type BlockDraft,
  BucketFailure,
  blockPath,
  hashBlock,
  LIMITS,
  writeBlock,
} from '@affine/blocks'
import { account } from '@affine/chain'
import { describe, expect, it, vi } from 'vitest'
import { Clock } from '../../../test/simulate/clock.ts'
import { type BlockPlaces, BucketReader, type CheckBlock, checkHere } from '../src/bucket-reader.ts'
import { type FoundBlock, SAME, type Source } from '../src/copies.ts'
import { draft, key } from './draft.ts'

const { sign } = key
const failure = (code: 'late' | 'status', reason: string, status?: number) =>
  new BucketFailure('read it', { code, reason, status })
const scope = { ...draft, beacon: '', commitment: '', champion: '', quotas: {}, specHashes: {} }
const blocksOf = (places: BlockPlaces, check?: CheckBlock) =>
  new BucketReader({ openBucket: () => null, check }).blocks(places)
const holderOf = (hotkey: string) => ({ hotkey, url: hotkey })
const block = await writeBlock({ ...draft, sign })
const wanted = { hash: block.hash, scope, secret: '', due: 0 }

describe('a reader', () => {
  const good: Source = { name: 'good', read: async () => block.bytes.slice() }
  const other = account(new Uint8Array(32))
  const readerOf = (more: Partial<BlockDraft>) => async () =>
    (await writeBlock({ ...draft, sign, ...more })).bytes

  it.each<[what: string, read: () => Promise<Uint8Array | null>, why: string]>([
    ['has no file', async () => null, 'file not found'],
    ['is late', () => Promise.reject(failure('late', 'timed out')), 'no answer in time'],
    ['refuses', () => Promise.reject(failure('status', 'NoSuch', 500)), 'NoSuch'],
    ['cannot be reached', () => Promise.reject(new Error('no route')), 'no route'],
    ['has bytes that are no block', async () => new Uint8Array(9), 'BAD_LINES'],
    ['has another block', readerOf({ epoch: 2 }), 'WRONG_HASH'],
    ['has another’s signature', readerOf({ sign: other.sign }), 'WRONG_SIGNATURE'],
  ])('skips a bucket that %s, reports it, and queries the next', async (_, read, why) => {
    const bad = { name: 'bad', read }
    const stored: FoundBlock[] = []
    const keep = async (found: FoundBlock) => void stored.push(found)
    const { hash, bytes } = block
    const found = await blocksOf({ sources: [bad, good], keep })(wanted)
    expect(found).toMatchObject({ ok: true, value: { hash } })
    expect(stored).toMatchObject([{ block: { hash }, bytes, from: 'good' }])
    const detail = expect.stringContaining(`(bad: ${why})`)
    const alone = await blocksOf({ sources: [bad], keep })(wanted)
    expect(alone).toEqual({ ok: false, code: 'MISSING_BLOCK', detail })
    expect(stored).toHaveLength(1)
  })

  it('requests no more bytes than a block may have', async () => {
    const read = vi.fn(good.read)
    expect((await blocksOf({ sources: [{ name: 'one', read }] })(wanted)).ok).toBe(true)
    expect(read.mock.calls).toEqual([[blockPath(block.hash), LIMITS.blockBytes]])
  })

  it('reports a missing block if there is no bucket to query', async () => {
    expect(await blocksOf({})(wanted)).toMatchObject({ ok: false, code: 'MISSING_BLOCK' })
  })

  it('stops at a fault in the header, which every copy has', async () => {
    const bytes = new TextEncoder().encode('{"v":2}\n')
    const malformed = { name: 'bad', read: async () => bytes }
    const silent = { name: 'unasked', read: () => expect.unreachable() }
    const read = blocksOf({ sources: [malformed, silent] })
    const found = await read({ ...wanted, hash: hashBlock(bytes.subarray(0, -1)) })
    expect(found).toMatchObject({ ok: false, code: 'BAD_HEADER' })
  })

  it('passes the bytes of a block to `keep` even if `check` transfers them', async () => {
    const check: CheckBlock = (bytes, request) => {
      const taken = structuredClone(bytes, { transfer: [bytes.buffer as ArrayBuffer] })
      expect(bytes).toHaveLength(0)
      return checkHere(taken, request)
    }
    const stored: Uint8Array[] = []
    const keep = async ({ bytes }: FoundBlock) => void stored.push(bytes)
    expect((await blocksOf({ sources: [good], keep }, check)(wanted)).ok).toBe(true)
    expect(stored).toEqual([block.bytes])
  })
})

describe('a block in several buckets', () => {
  it('is taken from the first bucket to answer with it, and late answers are classified', async () => {
    const clock = new Clock()
    const late: Readonly<Record<string, () => Uint8Array | null>> = {
      same: () => block.bytes.slice(),
      other: () => new Uint8Array(9),
      none: () => null,
      silent: () => {
        throw failure('late', 'timed out')
      },
    }
    const openBucket = (name: string, url: string): Source | null => {
      const ms = Object.hasOwn(late, name) ? 29_000 : 0
      const answer = late[name] ?? (() => block.bytes)
      return url === 'nowhere' ? null : { name, read: () => clock.sleep(ms).then(answer) }
    }
    const check = vi.fn(checkHere)
    const reader = new BucketReader({ openBucket, clock, check })
    const holders = ['nowhere', ...Object.keys(late), 'fast'].map(holderOf)
    const stored: FoundBlock[] = []
    const read = reader.blocks({ holders, keep: async (found) => void stored.push(found) })
    const { value, ms } = await clock.pass(Promise.resolve(read(wanted)))
    expect([value.ok, ms, stored[0]?.from]).toEqual([true, 8000, 'fast'])
    expect([...reader.failed]).toEqual(Object.keys(late))
    const copies = [...(stored[0]?.asked ?? [])].map(async ([name, copy]) => [name, await copy])
    expect(Object.fromEntries((await clock.pass(Promise.all(copies))).value)).toEqual({
      same: SAME,
      other: { kind: 'other', code: 'BAD_LINES' },
      none: { kind: 'missing', why: 'file not found' },
      silent: { kind: 'silent', failure: { code: 'late', reason: 'timed out' } },
      fast: SAME,
    })
    expect(check).toHaveBeenCalledOnce()
  })

  it('is requested once from each bucket, and if none has it, the sorted answers are reported', async () => {
    const reads: string[] = []
    const sources = ['lacks b', 'forged', 'lacks a'].map((name) => ({
      name,
      read: async () => {
        reads.push(name)
        return name.startsWith('lacks') ? null : block.bytes
      },
    }))
    const forged = { ok: false, code: 'WRONG_HASH', detail: '' } as const
    const reader = new BucketReader({ openBucket: () => null, check: () => forged })
    reader.failed.add('lacks a')
    const read = reader.blocks({ sources })
    expect(await read(wanted)).toEqual({
      ok: false,
      code: 'MISSING_BLOCK',
      detail: expect.stringMatching(/\(forged: WRONG_HASH; lacks a: .*; lacks b: .*\)$/),
    })
    expect(reads).toEqual(['lacks b', 'forged', 'lacks a'])
    expect([...reader.failed].sort()).toEqual(['forged', 'lacks a'])
  })
})

describe('a reader of several buckets', () => {
  const holders = ['a', 'b'].map(holderOf)

  /** Returns a reader of buckets that never answer, and the bucket's name of each read, in order. */
  function ofSilent(readsAtOnce: number) {
    const reads: string[] = []
    const openBucket = (name: string): Source => ({
      name,
      read: () => {
        reads.push(name)
        return new Promise<never>(() => {})
      },
    })
    return { reader: new BucketReader({ openBucket, readsAtOnce }), reads }
  }

  it('limits concurrent reads per bucket, and aborts them at the deadline', async () => {
    const { reader, reads } = ofSilent(2)
    const deadline = new AbortController()
    const reading = holders.flatMap(({ hotkey, url }) =>
      [1, 2, 3].map(() => reader.open(hotkey, url, deadline.signal)?.read('x', 1)),
    )
    const dropped = { code: 'dropped' }
    const ended = reading.map((read) => expect(read).rejects.toMatchObject(dropped))
    await new Promise(setImmediate)
    expect(reads.sort()).toEqual(['a', 'a', 'b', 'b'])
    deadline.abort()
    await Promise.all(ended)
    const late = reader.open('a', 'a', deadline.signal)?.read('x', 1)
    await expect(late).rejects.toMatchObject(dropped)
    expect(reads).toHaveLength(4)
    const later = new AbortController()
    const another = reader.open('a', 'a', later.signal)?.read('x', 1)
    await new Promise(setImmediate)
    expect(reads).toHaveLength(5)
    later.abort()
    await expect(another).rejects.toMatchObject(dropped)
  })

  it('reads at most 32 blocks concurrently', async () => {
    const { reader, reads } = ofSilent(100)
    const deadline = new AbortController()
    const places = { holders: holders.slice(0, 1), deadline: deadline.signal }
    const reading = Array.from({ length: 40 }, () => reader.blocks(places)(wanted))
    await new Promise(setImmediate)
    expect(reads).toHaveLength(32)
    deadline.abort()
    await Promise.all(reading)
  })

  it('forgets failed buckets with the next epoch, but not if an epoch is begun again', () => {
    const { reader } = ofSilent(2)
    const voters = { a: 1 }
    reader.beginEpoch({ epoch: 3, voters })
    reader.failed.add('a')
    reader.beginEpoch({ epoch: 3, voters: { ...voters } })
    expect([...reader.failed]).toEqual(['a'])
    reader.beginEpoch({ epoch: 4, voters })
    expect([...reader.failed]).toEqual([])
  })
})
