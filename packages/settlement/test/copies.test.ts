import {
  type BlockDraft,
  BucketFailure,
  type BucketFailureCode,
  blockPath,
  statePath,
  writeBlock,
} from '@affine/blocks'
import { account } from '@affine/chain'
import { encodeState, firstState, PROTOCOL } from '@affine/duel'
import { expect, it } from 'vitest'
import {
  Copies,
  type Copy,
  classifyCopy,
  classifyOther,
  type FoundBlock,
  SAME,
  type Source,
} from '../src/copies.ts'
import { key, draft as unsigned } from './draft.ts'

const other = account(new Uint8Array(32).fill(4))
const draft = { ...unsigned, sign: key.sign }
const failure = (code: BucketFailureCode, reason: string, status?: number) =>
  new BucketFailure('read it', { code, reason, status })
const NO_BUCKET = 'it announced no bucket that can be opened'
const SILENT = /: no answer in time; /
const copiesIn = (
  sources: readonly Source[],
  options: Partial<ConstructorParameters<typeof Copies>[1]> = {},
) => {
  const state = firstState(PROTOCOL, 5)
  const reader = { failed: new Set<string>(), lost: new Set<string>() }
  return new Copies(sources, { ...reader, state, attesters: [], ...options })
}

/** Returns a bucket in memory. Reading a file that is an Error throws it. */
const sourceOf = (
  name: string,
  files: Readonly<Record<string, Uint8Array | Error | undefined>>,
): Source => ({
  name,
  read: async (path) => {
    const file = files[path] ?? null
    if (file instanceof Error) throw file
    return file
  },
})

/** Returns a block, its path, and a function that compares its copies. */
async function writtenBlock(change: Partial<BlockDraft> = {}) {
  const { samples: _, sign, ...place } = { ...draft, ...change }
  const { hash, bytes } = await writeBlock({ ...draft, ...change })
  const block = { hash, header: { ...place, v: 1, count: 0, root: '' } } as const
  const found: FoundBlock = { block, bytes, from: 'reader', asked: new Map() }
  /**
   * Compares the copies of the block, which is in the lane of `validator` with these attesters.
   * `other` overrides fields of the found block.
   */
  const compareIn = (
    copies: Copies,
    attesters: readonly string[],
    { validator = 'absent', ...other }: Partial<FoundBlock> & { readonly validator?: string } = {},
  ) =>
    copies.compareBlock({ validator, head: hash, attesters, holders: [] }, { ...found, ...other })
  return { path: blockPath(hash), block, bytes, compareIn }
}

const codesIn = async (copies: Copies): Promise<readonly string[]> =>
  (await copies.flaws()).map(({ validator, code }) => `${validator} ${code}`)

/** Resolves with the flaws if the attester `holder` has `copy` in the place of a block. */
async function found(copy: Uint8Array | Error | undefined) {
  const { path, block, compareIn } = await writtenBlock()
  const copies = copiesIn([sourceOf('holder', { [path]: copy })])
  await compareIn(copies, ['holder'], { validator: 'reader' })
  return { flaws: await copies.flaws(), what: `block ${block.hash} of ${key.hotkey}` }
}

it('compares the length and every byte, here of copies of up to 9 bytes', () => {
  for (let length = 0; length < 10; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => i)
    const isSame = (copy: Uint8Array) => classifyCopy(copy, { hash: '', bytes }) === SAME
    expect(isSame(bytes.slice())).toBe(true)
    for (const at of bytes.keys())
      expect(isSame(bytes.map((byte, i) => (i === at ? 99 : byte)))).toBe(false)
    expect(isSame(new Uint8Array([...bytes, 0]))).toBe(false)
    if (length > 0) expect(isSame(bytes.subarray(0, -1))).toBe(false)
  }
})

it.each([
  [failure('status', 'AccessDenied', 403), 'AccessDenied'],
  [failure('status', 'status 503 SlowDown', 503), 'status 503 SlowDown'],
  [failure('body', 'incorrect header check'), 'incorrect header check'],
  [failure('too-large', 'larger than 9 bytes'), 'larger than 9 bytes'],
  [failure('late', 'no complete response in 30 s'), 'no answer in time'],
  [failure('dropped', 'too slow'), 'no answer in time'],
  [failure('redirect', 'status 302: no redirect', 302), 'status 302: no redirect'],
  [new Error(`no route\n\u001b[2J${'x'.repeat(300)}`), `no route?[2J${'x'.repeat(287)}`],
])('reports why a bucket did not serve a block: %s', async (error, why) => {
  const detail = expect.stringContaining(`: ${why}; `)
  expect((await found(error)).flaws).toEqual([
    { validator: 'holder', code: 'COPY_MISSING', detail },
  ])
})

it.each([
  ['other bytes', new Uint8Array(9), ['validator BAD_LINES']],
  ['no file', undefined, []],
])('judges a validator’s copy of its lane, which it did not attest: %s', async (_, copy, codes) => {
  const { path, bytes, compareIn } = await writtenBlock()
  const sources = [sourceOf('validator', { [path]: copy }), sourceOf('other', { [path]: bytes })]
  const copies = copiesIn(sources)
  await compareIn(copies, ['other'], { validator: 'validator', from: 'other' })
  expect(await codesIn(copies)).toEqual(codes)
})

it.each([
  ['blocks of one height', ''],
  ['headers of one height, even if one has no valid block', 'more\n'],
])('blames the signer of two %s', async (_, more) => {
  const twin = (await writeBlock({ ...draft, time: 1 })).bytes
  const { flaws, what } = await found(Buffer.concat([twin, Buffer.from(more)]))
  const detail = expect.stringMatching(`^${what} .* height 0: holder `)
  expect(flaws).toEqual([{ validator: key.hotkey, code: 'SIGNED_TWICE', detail }])
})

it('reports a double signature once, and sorts the flaws', async () => {
  const { path, compareIn } = await writtenBlock()
  const twin = (await writeBlock({ ...draft, time: 1 })).bytes
  const find = async (order: readonly string[]) => {
    const files = { a: twin, b: twin, c: new Uint8Array(9), d: undefined }
    const sources = Object.entries(files).map(([name, file]) => sourceOf(name, { [path]: file }))
    const copies = copiesIn(sources)
    for (const attester of order) await compareIn(copies, [attester])
    await compareIn(copies, ['a', 'b'])
    return codesIn(copies)
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
  ['of another validator', { validator: other.hotkey, sign: other.sign }],
  ['that no one signed', { time: 1, sign: () => new Uint8Array(64) }],
])('blames the holder for a block %s', async (_, change) => {
  const { flaws } = await found((await writeBlock({ ...draft, ...change })).bytes)
  expect(flaws).toMatchObject([{ validator: 'holder', code: 'WRONG_HASH' }])
})

it('queries a late bucket for no other block, and blames only attesters', async () => {
  const { compareIn } = await writtenBlock()
  const reads: string[] = []
  const read = async (path: string) => {
    if (path !== statePath(5)) reads.push(path)
    throw failure('late', 'timed out')
  }
  const copies = copiesIn([{ name: 'holder', read }])
  await compareIn(copies, ['holder'])
  await compareIn(copies, ['holder', 'nobody'])
  expect(reads).toHaveLength(1)
  const reasons = (await copies.flaws()).map(({ detail }) => detail)
  expect(reasons).toEqual([SILENT, NO_BUCKET].map((reason) => expect.stringMatching(reason)))
})

const late = failure('late', 'timed out')
const refused = failure('status', 'AccessDenied', 403)
const cut = failure('body', 'unexpected end of file')
const wrong = new Uint8Array(9)

// Answers to the reads of two blocks: `attester` attested the first, the bucket's owner the second.
it.each<[what: string, one: Error, other: Uint8Array | Error, attester: string, flaws: RegExp[]]>([
  ['only for silence', late, wrong, 'holder', [SILENT]],
  ['for one failure', refused, cut, 'holder', [/^COPY_MISSING: .*: AccessDenied; /]],
  ['for a timeout', late, cut, 'holder', [SILENT]],
  [
    'for the block that it attested',
    late,
    wrong,
    'other',
    [/^BAD_LINES/, /: it announced no bucket/],
  ],
])('blames a bucket with a failed read %s, in any order of reads', async (...row) => {
  const [, one, other, attester, flaws] = row
  const [first, second] = await Promise.all(
    [0, 1].map((height) => writtenBlock({ height, prev: 'a0'.repeat(32) })),
  )
  const files = { [first!.path]: one, [second!.path]: other }
  const reads = [[first, attester] as const, [second, 'holder'] as const]
  for (const order of [reads, [...reads].reverse()]) {
    const copies = copiesIn([sourceOf('holder', files)])
    for (const [block, name] of order)
      await block?.compareIn(copies, [name], { validator: 'holder' })
    const found = (await copies.flaws()).map(({ code, detail }) => `${code}: ${detail}`)
    expect(found).toEqual(flaws.map((flaw) => expect.stringMatching(flaw)))
  }
})

/** Returns a block that four sources have, and the names of the sources queried. */
async function blockOfFour() {
  const { bytes, compareIn } = await writtenBlock()
  const asked: string[] = []
  const sources = ['a', 'b', 'c', 'd'].map((name) => ({
    name,
    read: async (path: string) => {
      if (path === statePath(5)) return null
      asked.push(name)
      return bytes
    },
  }))
  return { compareIn, sources, asked }
}

it('uses the answers from the search for the block, and does not query again', async () => {
  const { compareIn, sources, asked } = await blockOfFour()
  const copies = copiesIn(sources)
  const answers = new Map<string, Promise<Copy>>([
    ['a', Promise.resolve({ kind: 'missing', why: 'file not found' })],
    ['b', Promise.resolve(classifyOther(new Uint8Array(9), 'BAD_LINES'))],
    ['c', Promise.resolve({ kind: 'silent', failure: failure('late', 'timed out') })],
  ])
  await compareIn(copies, ['a', 'b', 'c', 'd'], { validator: 'a', asked: answers })
  expect(asked).toEqual(['d'])
  expect(await codesIn(copies)).toEqual(['a COPY_MISSING', 'b BAD_LINES', 'c COPY_MISSING'])
})

it.each(['a', 'b', 'c'])(
  'names the same holder of a second signature if the block was read from %s',
  async (from) => {
    const write = (nonce: number) => {
      const { hotkey, sign } = account(
        Uint8Array.of(8, ...Array(31).fill(0), ...Array(32).fill(nonce)),
      )
      return writtenBlock({ validator: hotkey, sign })
    }
    const [first, second] = [await write(0), await write(1)]
    expect(first.path).toBe(second.path)
    expect(first.bytes).not.toEqual(second.bytes)
    const held = { a: first, b: second, c: second }
    const sources = Object.entries(held).map(([name, { path, bytes }]) =>
      sourceOf(name, { [path]: bytes }),
    )
    const copies = copiesIn(sources)
    const read = from === 'a' ? first : second
    await read.compareIn(copies, ['c', 'b'], { validator: 'a', from })
    const [flaw, ...others] = await copies.flaws()
    expect(others).toEqual([])
    expect(flaw?.code).toBe('SIGNED_TWICE')
    expect(flaw?.detail).toContain(': b has another')
  },
)

it('queries the holders that are chosen from all except the source of the block', async () => {
  const { compareIn, sources, asked } = await blockOfFour()
  const offered: (readonly string[])[] = []
  const choose = (holders: readonly string[]) => {
    offered.push(holders)
    return holders.slice(1)
  }
  const copies = copiesIn(sources, { choose })
  await compareIn(copies, ['a', 'b', 'c'], { validator: 'd', from: 'b' })
  expect(offered).toEqual([['d', 'a', 'c']])
  expect(asked.sort()).toEqual(['a', 'c'])
})

it('reports only silence of buckets that are no longer read', async () => {
  const { path, compareIn } = await writtenBlock()
  const other = { [path]: new Uint8Array(9), [statePath(5)]: new Uint8Array(9) }
  const lost = new Set(['own', 'attester'])
  const copies = copiesIn([sourceOf('own', other), sourceOf('attester', other)], { lost })
  await compareIn(copies, ['attester'], { validator: 'own' })
  expect(await copies.flaws()).toEqual([
    { validator: 'attester', code: 'COPY_MISSING', detail: expect.stringMatching(SILENT) },
  ])
})

it('compares the states in all buckets, even failed ones, and expects one from each attester', async () => {
  const right = new TextEncoder().encode(encodeState(firstState(PROTOCOL, 5)))
  const path = statePath(5)
  const files = {
    right,
    wrong,
    gone: wrong,
    none: undefined,
    quiet: late,
    folder: failure('not-a-file', 'a folder'),
    refuses: refused,
    silent: late,
    lost: right,
  }
  const sources = Object.entries(files).map(([name, file]) => sourceOf(name, { [path]: file }))
  const failed = new Set(['gone'])
  const attesters = ['unopened', 'silent', 'right', 'refuses', 'lost', 'folder', 'wrong', 'none']
  const copies = copiesIn(sources, { failed, lost: new Set(['lost']), attesters })
  const missing = (validator: string, cause: string) => ({
    validator,
    code: 'STATE_MISSING',
    detail: `it attested ${path}: ${cause}`,
  })
  expect(await copies.flaws()).toEqual([
    missing('folder', 'a folder'),
    { validator: 'gone', code: 'STATE_DIFFERS', detail: path },
    missing('lost', 'no answer in time'),
    missing('none', 'file not found'),
    missing('refuses', 'AccessDenied'),
    missing('silent', 'no answer in time'),
    missing('unopened', NO_BUCKET),
    { validator: 'wrong', code: 'STATE_DIFFERS', detail: path },
  ])
  expect([...failed]).toEqual(['gone', 'quiet', 'folder', 'refuses', 'silent'])
})
