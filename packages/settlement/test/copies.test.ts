import { blockPath, statePath, writeBlock } from '@affine/blocks'
import { account } from '@affine/chain'
import { encodeState, firstState, PROTOCOL } from '@affine/duel'
import { describe, expect, it } from 'vitest'
import { BucketReader, type Source } from '../src/bucket-reader.ts'
import { Copies } from '../src/copies.ts'
import { type Copy, copyOf, otherCopy, SAME } from '../src/copy.ts'
import type { Sought } from '../src/epoch-decision.ts'
import { key, draft as unsigned } from './draft.ts'

const other = account(new Uint8Array(32).fill(4))
const draft = { ...unsigned, sign: key.sign }
const newReader = () => new BucketReader({ openBucket: () => null })

/** A bucket in memory; what is an error is thrown. */
const sourceOf = (name: string, files: Readonly<Record<string, Uint8Array | Error>>): Source => ({
  name,
  read: async (path) => {
    const file = files[path] ?? null
    if (file instanceof Error) throw file
    return file
  },
})

/** What is found when `holder`, who attested it, has this in the place of a block. */
async function found(copy: Uint8Array | Error | undefined) {
  const { hash, bytes } = await writeBlock(draft)
  const { samples: _, sign: __, ...header } = draft
  const source = sourceOf('holder', copy === undefined ? {} : { [blockPath(hash)]: copy })
  const copies = new Copies([source, sourceOf('reader', {})], newReader())
  const sought: Sought = { validator: 'absent', head: hash, attesters: ['holder'], holders: [] }
  const block = { hash, header: { ...header, v: 1, count: 0, root: '' } } as const
  await copies.compareBlock(sought, { block, bytes, from: 'reader', asked: new Map() })
  return { flaws: await copies.flaws([]), what: `block ${hash} of ${key.hotkey}` }
}

it('finds nothing in the same bytes', async () => {
  expect((await found((await writeBlock(draft)).bytes)).flaws).toEqual([])
})

it('compares bytes of any length', () => {
  for (let length = 0; length < 10; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => i)
    const isSame = (copy: Uint8Array) => copyOf(copy, { hash: '', bytes }) === SAME
    expect(isSame(bytes.slice())).toBe(true)
    for (let at = 0; at < length; at++)
      expect(isSame(bytes.map((byte, i) => (i === at ? 99 : byte)))).toBe(false)
    expect([isSame(new Uint8Array([...bytes, 0])), isSame(bytes.subarray(0, -1))]).toEqual([
      false,
      length === 0,
    ])
  }
})

it('says why a copy is not to be had', async () => {
  const missing = await found(undefined)
  expect(missing.flaws).toEqual([
    { validator: 'holder', code: 'COPY_MISSING', detail: `it attested ${missing.what}: not there` },
  ])
  const failed = await found(new Error('no route'))
  const detail =
    'its bucket did not answer in time for a block of a lane that it attested; ask its operator'
  expect(failed.flaws).toEqual([{ validator: 'holder', code: 'COPY_MISSING', detail }])
})

it.each<[string, (bytes: Uint8Array) => Uint8Array, string]>([
  ['no block', () => new Uint8Array(9), 'BAD_LINES'],
  ['a block and a line more', (bytes) => new Uint8Array([...bytes, 9, 10]), 'WRONG_ROOT'],
])('blames the holder for bytes that are %s', async (_, copyOf, code) => {
  const { flaws, what } = await found(copyOf((await writeBlock(draft)).bytes))
  expect(flaws).toEqual([{ validator: 'holder', code, detail: `its copy of ${what}` }])
})

it.each([
  ['other bytes, though it did not attest it', new Uint8Array(9), ['BAD_LINES']],
  ['no bytes, which it did not promise', undefined, []],
])('of its own lane a validator has %s', async (_, copy, codes) => {
  const { hash, bytes } = await writeBlock(draft)
  const { samples: __, sign: ___, ...header } = draft
  const block = { hash, header: { ...header, v: 1, count: 0, root: '' } } as const
  const source = sourceOf('validator', copy ? { [blockPath(hash)]: copy } : {})
  const copies = new Copies([source, sourceOf('other', { [blockPath(hash)]: bytes })], newReader())
  const sought = { validator: 'validator', head: hash, attesters: ['other'], holders: [] }
  await copies.compareBlock(sought, { block, bytes, from: 'other', asked: new Map() })
  expect((await copies.flaws([])).map(({ code }) => code)).toEqual(codes)
})

it('blames who signed two blocks of one height', async () => {
  const { flaws, what } = await found((await writeBlock({ ...draft, time: 1 })).bytes)
  const detail = `${what} is not the only one at height 0: holder has another`
  expect(flaws).toEqual([{ validator: key.hotkey, code: 'SIGNED_TWICE', detail }])
})

it('blames who signed two headers of one height, though what follows one of them is no block', async () => {
  const twin = (await writeBlock({ ...draft, time: 1 })).bytes
  const { flaws } = await found(Buffer.concat([twin, Buffer.from('more\n')]))
  expect(flaws).toMatchObject([{ validator: key.hotkey, code: 'SIGNED_TWICE' }])
})

it('says who signed twice once, and what it finds in an order of its own', async () => {
  const { hash, bytes } = await writeBlock(draft)
  const twin = (await writeBlock({ ...draft, time: 1 })).bytes
  const { samples: _, sign: __, ...header } = draft
  const block = { hash, header: { ...header, v: 1, count: 0, root: '' } } as const
  const find = async (order: readonly string[]) => {
    const files = { a: twin, b: twin, c: new Uint8Array(9), d: undefined }
    const sources = Object.entries(files).map(([name, file]) =>
      sourceOf(name, file === undefined ? {} : { [blockPath(hash)]: file }),
    )
    const copies = new Copies(sources, newReader())
    for (const attester of order) {
      const sought = { validator: 'absent', head: hash, attesters: [attester], holders: [] }
      await copies.compareBlock(sought, { block, bytes, from: 'reader', asked: new Map() })
    }
    const both = { validator: 'absent', head: hash, attesters: ['a', 'b'], holders: [] }
    await copies.compareBlock(both, { block, bytes, from: 'reader', asked: new Map() })
    return (await copies.flaws([])).map(({ validator, code }) => `${validator} ${code}`)
  }
  const twice = `${key.hotkey} SIGNED_TWICE`
  const found = [twice, 'c BAD_LINES', 'd COPY_MISSING']
  expect(await find(['c', 'd'])).toEqual(found)
  expect(await find(['d', 'c'])).toEqual(found)
})

it.each([
  ['of another height', { height: 1 }],
  ['of another epoch', { epoch: 2 }],
  ['of another chain', { genesis: '8e'.repeat(32) }],
  ['of another subnet', { netuid: 121 }],
  ["of another's", { validator: other.hotkey, sign: other.sign }],
  ['that nobody signed', { time: 1, sign: () => new Uint8Array(64) }],
])('blames the holder for a block %s', async (_, change) => {
  const { flaws } = await found((await writeBlock({ ...draft, ...change })).bytes)
  expect(flaws).toMatchObject([{ validator: 'holder', code: 'WRONG_HASH' }])
})

it('asks a bucket that failed for no other block, and only who attested owes one', async () => {
  const { hash, bytes } = await writeBlock(draft)
  const asked: string[] = []
  const read = async (path: string) => {
    asked.push(path)
    throw new Error('silent')
  }
  const copies = new Copies([{ name: 'holder', read }], newReader())
  const { samples: _, sign: __, ...header } = draft
  const block = { hash, header: { ...header, v: 1, count: 0, root: '' } } as const
  const compare = (attesters: readonly string[]) =>
    copies.compareBlock(
      { validator: 'absent', head: hash, attesters, holders: [] },
      { block, bytes, from: 'reader', asked: new Map() },
    )
  await compare(['holder'])
  await compare(['holder', 'nobody'])
  expect(asked).toHaveLength(1)
  const reasons = (await copies.flaws([])).map(({ detail }) => detail.replace(/^.*: /, ''))
  expect(reasons).toEqual([
    'its bucket did not answer in time for a block of a lane that it attested; ask its operator',
    'it announced no bucket that can be opened',
  ])
})

describe('a bucket that did not answer for one block', () => {
  const silence =
    'its bucket did not answer in time for a block of a lane that it attested; ask its operator'

  /** What is found when `holder` has these in the place of blocks, which are read in this order. */
  async function foundOf(
    files: readonly { answer: Uint8Array | Error; attesters: readonly string[] }[],
    order: readonly number[],
  ) {
    const blocks = await Promise.all(
      files.map((_, height) => writeBlock({ ...draft, height, prev: 'a0'.repeat(32) })),
    )
    const answers = blocks.map(({ hash }, i) => [blockPath(hash), files[i]?.answer])
    const source = sourceOf('holder', Object.fromEntries(answers))
    const copies = new Copies([source], newReader())
    const { samples: _, sign: __, ...header } = draft
    for (const height of order) {
      const { hash, bytes } = blocks[height] ?? { hash: '', bytes: new Uint8Array() }
      const { attesters = [] } = files[height] ?? {}
      const block = { hash, header: { ...header, height, v: 1, count: 0, root: '' } } as const
      await copies.compareBlock(
        { validator: 'holder', head: hash, attesters, holders: [] },
        { block, bytes, from: 'reader', asked: new Map() },
      )
    }
    return (await copies.flaws([])).map(({ code, detail }) => `${code}: ${detail}`)
  }

  it.each([[[0, 1]], [[1, 0]]])('is blamed for that alone, read in the order %j', async (order) => {
    const files = [new Error('late'), new Uint8Array(9)].map((answer) => ({
      answer,
      attesters: ['holder'],
    }))
    expect(await foundOf(files, order)).toEqual([`COPY_MISSING: ${silence}`])
  })

  it.each([[[0, 1]], [[1, 0]]])(
    'that it did not attest owes it still what it did, read in the order %j',
    async (order) => {
      const late = { answer: new Error('late'), attesters: ['other'] }
      const wrong = { answer: new Uint8Array(9), attesters: ['holder'] }
      const found = await foundOf([late, wrong], order)
      expect(found.filter((each) => !each.includes('it attested'))).toHaveLength(1)
      expect(found.join()).toContain('BAD_LINES')
      expect(found.join()).not.toContain(silence)
    },
  )
})

/** A block that four sources have, and the names of those that were asked for it. */
async function blockOfFour() {
  const { hash, bytes } = await writeBlock(draft)
  const { samples: _, sign: __, ...header } = draft
  const block = { hash, header: { ...header, v: 1, count: 0, root: '' } } as const
  const asked: string[] = []
  const sources = ['a', 'b', 'c', 'd'].map((name) => ({
    name,
    read: async () => {
      asked.push(name)
      return bytes
    },
  }))
  return { block, bytes, sources, asked }
}

it('takes what the reader of a block was told for an answer, and does not ask again', async () => {
  const { block, bytes, sources, asked } = await blockOfFour()
  const copies = new Copies(sources, newReader())
  const told = new Map<string, Promise<Copy>>([
    ['a', Promise.resolve({ is: 'missing', why: 'not there' })],
    ['b', Promise.resolve(otherCopy(new Uint8Array(9), 'BAD_LINES'))],
    ['c', Promise.resolve({ is: 'silent' })],
  ])
  const sought = { validator: 'a', head: block.hash, attesters: ['a', 'b', 'c', 'd'], holders: [] }
  await copies.compareBlock(sought, { block, bytes, from: 'reader', asked: told })
  expect(asked).toEqual(['d'])
  const found = (await copies.flaws([])).map(({ validator, code }) => `${validator} ${code}`)
  expect(found).toEqual(['a COPY_MISSING', 'b BAD_LINES', 'c COPY_MISSING'])
})

it.each([['a'], ['b'], ['c']])(
  'names the same holder of another signature, if that of %s was read',
  async (from) => {
    const write = (nonce: number) => {
      const { hotkey, sign } = account(
        Uint8Array.of(8, ...Array(31).fill(0), ...Array(32).fill(nonce)),
      )
      return writeBlock({ ...draft, validator: hotkey, sign })
    }
    const [first, second] = [await write(0), await write(1)]
    expect(first.hash).toBe(second.hash)
    expect(first.bytes).not.toEqual(second.bytes)
    const path = blockPath(first.hash)
    const copies = new Copies(
      [
        sourceOf('a', { [path]: first.bytes }),
        sourceOf('b', { [path]: second.bytes }),
        sourceOf('c', { [path]: second.bytes }),
      ],
      newReader(),
    )
    const { samples: _, sign: __, ...header } = draft
    const block = { hash: first.hash, header: { ...header, v: 1, count: 0, root: '' } } as const
    const { bytes } = from === 'a' ? first : second
    const sought = { validator: 'a', head: first.hash, attesters: ['c', 'b'], holders: [] }
    await copies.compareBlock(sought, { block, bytes, from, asked: new Map() })
    const [flaw, ...others] = await copies.flaws([])
    expect(others).toEqual([])
    expect(flaw?.code).toBe('SIGNED_TWICE')
    expect(flaw?.detail).toContain(': b has another')
  },
)

it('asks those chosen, of all who have a copy and did not give the one that was read', async () => {
  const { block, bytes, sources, asked } = await blockOfFour()
  const offered: (readonly string[])[] = []
  const choose = (holders: readonly string[]) => {
    offered.push(holders)
    return holders.slice(1)
  }
  const copies = new Copies(sources, newReader(), choose)
  const sought = { validator: 'd', head: block.hash, attesters: ['a', 'b', 'c'], holders: [] }
  await copies.compareBlock(sought, { block, bytes, from: 'b', asked: new Map() })
  expect(offered).toEqual([['d', 'a', 'c']])
  expect(asked.sort()).toEqual(['a', 'c'])
})

it('says of buckets that are not waited for any longer only that they did not answer', async () => {
  const { hash, bytes } = await writeBlock(draft)
  const { samples: _, sign: __, ...header } = draft
  const block = { hash, header: { ...header, v: 1, count: 0, root: '' } } as const
  const state = firstState(PROTOCOL, 5)
  const other = { [blockPath(hash)]: new Uint8Array(9), [statePath(5)]: new Uint8Array(9) }
  const reader = newReader()
  const names = ['own', 'attester']
  Object.defineProperty(reader, 'lost', { value: new Set(names) })
  const copies = new Copies(
    names.map((name) => sourceOf(name, other)),
    reader,
  )
  copies.readStates(5)
  const sought = { validator: 'own', head: hash, attesters: ['attester'], holders: [] }
  await copies.compareBlock(sought, { block, bytes, from: 'reader', asked: new Map() })
  expect(await copies.flaws([state])).toMatchObject([
    { validator: 'attester', code: 'COPY_MISSING', detail: expect.stringContaining('in time') },
  ])
})

it('compares the states that all buckets hold, those that failed before, too', async () => {
  const state = firstState(PROTOCOL, 5)
  const right = new TextEncoder().encode(encodeState(state))
  const path = statePath(5)
  const reader = newReader()
  reader.failed.add('gone')
  const copies = new Copies(
    [
      sourceOf('right', { [path]: right }),
      sourceOf('wrong', { [path]: right.subarray(1) }),
      sourceOf('none', {}),
      sourceOf('silent', { [path]: new Error('silent') }),
      sourceOf('gone', { [path]: right.subarray(1) }),
    ],
    reader,
  )
  copies.readStates(5)
  expect(await copies.flaws([state])).toEqual([
    { validator: 'wrong', code: 'STATE_DIFFERS', detail: path },
    { validator: 'gone', code: 'STATE_DIFFERS', detail: path },
  ])
  expect([...reader.failed]).toEqual(['gone', 'silent'])
  expect(await copies.flaws([firstState(PROTOCOL, 6)])).toEqual([])
})

it('finds every byte that differs, and one that is missing', async () => {
  const { bytes } = await writeBlock(draft)
  for (let at = 0; at < bytes.length; at++) {
    const copy = bytes.map((byte, i) => (i === at ? byte ^ 1 : byte))
    expect((await found(copy)).flaws, `byte ${at}`).toHaveLength(1)
  }
  expect((await found(bytes.slice(0, -1))).flaws).toHaveLength(1)
})
