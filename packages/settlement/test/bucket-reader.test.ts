import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { blockPath, LIMITS, writeBlock } from '@affine/blocks'
import { account } from '@affine/chain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ReadingClock } from '../../../test/attacks/reading-clock.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { words } from '../../../test/words.ts'
import {
  type BlockPlaces,
  BucketReader,
  type CheckBlock,
  checkHere,
  type FoundBlock,
  type Source,
} from '../src/bucket-reader.ts'
import { SAME } from '../src/copy.ts'
import { bucketsIn } from '../src/node/open-bucket.ts'
import { draft, key } from './draft.ts'

const scope = { ...draft, beacon: '', commitment: '', champion: '', quotas: {}, specHashes: {} }
const blocksOf = (places: BlockPlaces, check?: CheckBlock) =>
  new BucketReader({ openBucket: () => null, check }).blocks(places)
const wanted = (hash: string) => ({ hash, scope, secret: '', due: 0 })
const root = testFolder('sources')
const local = { platform: 'loopback' } as const
let server: Server
let web: string
let asked: string[] = []
let block: { readonly hash: string; readonly bytes: Uint8Array }

beforeAll(async () => {
  block = await writeBlock({ ...draft, sign: key.sign })
  server = createServer(({ url = '' }, response) => {
    asked.push(url)
    if (url.startsWith('/redirects/')) response.writeHead(302, { location: '/good/' }).end()
    else if (url.startsWith('/fails/')) response.writeHead(500).end()
    else if (url.startsWith('/endless/'))
      response.writeHead(200).write(new Uint8Array(LIMITS.blockBytes + 1))
    else if (url.startsWith('/cut/'))
      response.writeHead(200, { 'content-length': '9999' }).write('{', () => response.destroy())
    else
      readFile(join(root, url)).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  web = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await put('good', block.bytes)
})
afterAll(async () => {
  server.close().closeAllConnections()
})

async function put(
  bucket: string,
  bytes: Uint8Array | string,
  path = blockPath(block.hash),
): Promise<void> {
  const place = join(root, bucket, path)
  await mkdir(dirname(place), { recursive: true })
  await writeFile(place, bytes)
}

/** The bucket of that name, as a folder and over the web. */
function sources(name: string): readonly Source[] {
  return [root, web].map((base) => bucketsIn(base)(name, name)).filter((source) => source !== null)
}

describe('an announced bucket', () => {
  const hostile = [
    ...words(`
      . .. ../x ../../etc/passwd ./x x/ x/y x/../y /etc/passwd //evil.example/x C: x:y
      file:///etc/passwd data:,x http://127.0.0.1:1/ http://example.org HTTPS://EVIL.EXAMPLE
      https:evil.example https:// https:/// https://x:99999/ https://me@x/ ftp://x/
      https://me:word@x/ https://x/? https://x/?a=b https://x/#a https://x/%2e%2e https://[::1
      wss://x/ %2e%2e ..%2fx x%00 ~ .ssh @evil.example x@evil.example ?x #x x?y [::1] *
    `),
    '',
    'x\\y',
    '..\\x',
    'https://x/a b',
    'https://x\\y',
    'https://x/\n',
    ' https://x/',
    'https://x/\u001b[2J',
    'https://ex\u00e4mple.org/',
    'x\u0000',
    'x\ny',
    'x y',
    '\uff0e\uff0e',
    'x\u2044y',
    '$HOME',
    '`id`',
  ]

  it.each(hostile)('that reaches elsewhere is never opened: %j', (name) => {
    asked = []
    for (const base of [root, `${root}/`, web, `${web}/`, undefined])
      expect(bucketsIn(base)('h', name)).toBeNull()
    expect(asked).toEqual([])
  })

  it.each([key.hotkey, 'a', 'a.b-c_d', '0', '-x', '_'])(
    'is a plain name below what the reader chose: %j',
    async (name) => {
      await put(name, 'here', 'v1/states/1.json')
      asked = []
      for (const base of [root, `${root}/`, web, `${web}/`]) {
        const bytes = await bucketsIn(base)('h', name)?.read('v1/states/1.json', 100)
        expect(new TextDecoder().decode(bytes ?? undefined)).toBe('here')
      }
      expect(asked).toEqual(Array(2).fill(`/${name}/v1/states/1.json`))
      expect(bucketsIn(undefined)('h', name)).toBeNull()
    },
  )

  it('is an https URL, read from public addresses alone', async () => {
    asked = []
    const { port } = server.address() as AddressInfo
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '2130706433',
      '10.0.0.1',
      '169.254.169.254',
      '[fd00::1]',
    ])
      for (const base of [root, web, undefined]) {
        const source = bucketsIn(base)('h', `https://${host}:${port}/good`)
        await expect(source?.read('x', 10)).rejects.toThrow(
          /^cannot read https:\/\/\S+\/good\/x: \S+ is at \S+, which is not a public address$/,
        )
      }
    expect(asked).toEqual([])
  })

  it('is an http URL or a private address where the reader allows it', async () => {
    asked = []
    const { port } = server.address() as AddressInfo
    for (const url of [
      `${web}/good`,
      `${web}/good/`,
      `http://localhost:${port}/good`,
      `http://2130706433:${port}/good`,
    ]) {
      expect(bucketsIn(root)('h', url)).toBeNull()
      expect(bucketsIn(root, { platform: 'chutes' })('h', url)).toBeNull()
      const source = bucketsIn(undefined, local)('h', url)
      expect(await source?.read(blockPath(block.hash), 1 << 20)).toEqual(block.bytes)
    }
    expect(asked).toHaveLength(4)
    const tls = bucketsIn(root, local)('h', `https://127.0.0.1:${port}/good`)
    await expect(tls?.read('x', 10)).rejects.toThrow(/SSL|EPROTO|wrong version|packet/i)
    for (const url of ['file:///etc', 'http://me:word@127.0.0.1/', 'http://x/?y'])
      expect(bucketsIn(root, local)('h', url)).toBeNull()
  })

  it('goes by the hotkey that announced it', () => {
    expect(bucketsIn(undefined)('h', 'https://example.org/bucket')?.name).toBe('h')
    expect(bucketsIn(root)('h', 'good')?.name).toBe('h')
  })
})

describe('a reader', () => {
  /** Everything but the block under its name. */
  const garbage: readonly [string, () => Promise<void>][] = [
    ['empty', () => put('garbage', '')],
    [
      'random bytes',
      () =>
        put(
          'garbage',
          Uint8Array.from({ length: 4096 }, (_, i) => (i * 131) % 251),
        ),
    ],
    ['an error page', () => put('garbage', '<html>404</html>\n')],
    ['line feeds', () => put('garbage', '\n'.repeat(5000))],
    ['too many bytes', () => put('garbage', new Uint8Array(LIMITS.blockBytes + 1))],
    ['one byte less', () => put('garbage', block.bytes.subarray(0, -1))],
    ['one byte more', () => put('garbage', Buffer.concat([block.bytes, Buffer.from('\n')]))],
    [
      'another block',
      async () => put('garbage', (await writeBlock({ ...draft, epoch: 2, sign: key.sign })).bytes),
    ],
    [
      'another’s signature',
      async () =>
        put(
          'garbage',
          (await writeBlock({ ...draft, sign: account(new Uint8Array(32)).sign })).bytes,
        ),
    ],
    [
      'a folder',
      async () => {
        await rm(join(root, 'garbage', blockPath(block.hash)), { force: true })
        await mkdir(join(root, 'garbage', blockPath(block.hash)))
      },
    ],
  ]

  it.each(garbage)(
    'passes over a mirror that serves %s, says so, and takes the next',
    async (_, spoil) => {
      await rm(join(root, 'garbage'), { recursive: true, force: true })
      await put('garbage', '')
      await spoil()
      for (const bad of sources('garbage')) {
        const kept: string[] = []
        const keep = async ({ block: { hash }, bytes }: FoundBlock) => {
          kept.push(hash, Buffer.from(bytes).toString())
        }
        const reader = blocksOf({ sources: [bad, ...sources('good')], keep })
        expect(await reader(wanted(block.hash))).toMatchObject({
          ok: true,
          value: { hash: block.hash },
        })
        expect(kept).toEqual([block.hash, Buffer.from(block.bytes).toString()])
        const alone = await blocksOf({ sources: [bad], keep })(wanted(block.hash))
        expect(alone).toMatchObject({
          code: 'MISSING_BLOCK',
          detail: expect.stringMatching(/\(garbage: .{9,}\)$/),
        })
        expect(kept).toHaveLength(2)
      }
    },
  )

  it('finds every flipped byte', async () => {
    const reader = blocksOf({ sources: sources('flipped').slice(0, 1) })
    for (let i = 0; i < block.bytes.length; i += 7) {
      const flipped = Uint8Array.from(block.bytes, (byte, at) => (at === i ? byte ^ 1 : byte))
      await put('flipped', flipped)
      expect((await reader(wanted(block.hash))).ok).toBe(false)
    }
    await put('flipped', block.bytes)
    expect((await reader(wanted(block.hash))).ok).toBe(true)
  })

  it.each(['redirects', 'fails', 'endless', 'cut'])(
    'passes over a web server that %s',
    async (name) => {
      const bad = bucketsIn(web)(name, name) as Source
      const both = blocksOf({ sources: [bad, ...sources('good')] })
      expect((await both(wanted(block.hash))).ok).toBe(true)
      const detail = expect.stringMatching(`\\(${name}: no answer\\)$`)
      expect(await blocksOf({ sources: [bad] })(wanted(block.hash))).toMatchObject({
        code: 'MISSING_BLOCK',
        detail,
      })
    },
  )

  it('passes over what is not there, and asks no further than the first good one', async () => {
    asked = []
    const reader = blocksOf({
      sources: [...sources('nowhere'), ...sources('good').slice(0, 1), ...sources('fails')],
    })
    expect((await reader(wanted(block.hash))).ok).toBe(true)
    expect(asked).toEqual([`/nowhere/${blockPath(block.hash)}`])
  })

  it('says that a block is missing when nobody has it', async () => {
    for (const names of [[], ['nowhere'], ['garbage', 'fails', 'nowhere']]) {
      const reader = blocksOf({ sources: names.flatMap(sources) })
      expect(await reader(wanted('ab'.repeat(32)))).toMatchObject({
        ok: false,
        code: 'MISSING_BLOCK',
      })
    }
  })

  it('hands over the bytes of a block though its check takes them away', async () => {
    const check: CheckBlock = (bytes, asked) => {
      const taken = structuredClone(bytes, { transfer: [bytes.buffer as ArrayBuffer] })
      expect(bytes).toHaveLength(0)
      return checkHere(taken, asked)
    }
    const kept: string[] = []
    const keep = async ({ bytes }: FoundBlock) => void kept.push(Buffer.from(bytes).toString())
    for (const source of sources('good')) {
      const reader = blocksOf({ sources: [source], keep }, check)
      expect((await reader(wanted(block.hash))).ok).toBe(true)
    }
    expect(kept).toEqual(Array(2).fill(Buffer.from(block.bytes).toString()))
  })

  it('checks the very bytes that it read where nobody keeps them', async () => {
    const read = Uint8Array.from(block.bytes)
    const checked: Uint8Array[] = []
    const check: CheckBlock = (bytes, asked) => {
      checked.push(bytes)
      return checkHere(bytes, asked)
    }
    const source = { name: 'one', read: async () => read }
    expect((await blocksOf({ sources: [source] }, check)(wanted(block.hash))).ok).toBe(true)
    expect(checked).toHaveLength(1)
    expect(checked[0]).toBe(read)
  })

  it('follows no link out of a bucket to what is no block', async () => {
    await mkdir(join(root, 'linked/v1/blocks'), { recursive: true })
    await symlink('/etc/passwd', join(root, 'linked', blockPath(block.hash)))
    const reader = blocksOf({ sources: sources('linked').slice(0, 1) })
    expect(await reader(wanted(block.hash))).toMatchObject({ ok: false })
  })
})

describe('a block that several buckets may have', () => {
  const namedSources = (...names: readonly string[]) => {
    const reads: string[] = []
    const sources = names.map((name) => ({
      name,
      read: async () => {
        reads.push(name)
        return name.startsWith('lacks') ? null : block.bytes
      },
    }))
    return { reads, sources }
  }

  it('is asked for nowhere else once its validator signed a bad sample', async () => {
    const { reads, sources } = namedSources('one', 'other')
    const bad = { ok: false, code: 'BAD_SAMPLE', detail: 'line 2' } as const
    const keep = () => Promise.reject(new Error('it does not hold'))
    const read = blocksOf({ sources, keep }, () => bad)
    expect(await read(wanted(block.hash))).toEqual(bad)
    expect(reads).toEqual(['one'])
  })

  it('is taken from the first that has it: of those that were late it is known what they have', async () => {
    const clock = new ReadingClock()
    const late: Readonly<Record<string, () => Uint8Array | null>> = {
      same: () => block.bytes.slice(),
      other: () => new Uint8Array(9),
      none: () => null,
      silent: () => {
        throw new Error('no answer')
      },
    }
    const openBucket = (name: string, url: string): Source | null => {
      const ms = Object.hasOwn(late, name) ? 29_000 : 0
      const answer = late[name] ?? (() => block.bytes)
      return url === 'nowhere' ? null : { name, read: () => clock.sleep(ms).then(answer) }
    }
    let checked = 0
    const check: CheckBlock = (...asked) => {
      checked += 1
      return checkHere(...asked)
    }
    const reader = new BucketReader({ openBucket, clock, check })
    const holders = ['nowhere', ...Object.keys(late), 'fast'].map((each) => ({
      hotkey: each,
      url: each,
    }))
    const kept: FoundBlock[] = []
    const read = reader.blocks({ holders, keep: async (found) => void kept.push(found) })
    const { value, ms } = await clock.pass(Promise.resolve(read(wanted(block.hash))))
    expect([value.ok, ms, kept[0]?.from]).toEqual([true, 8000, 'fast'])
    expect([...reader.failed]).toEqual(Object.keys(late))
    const asked = [...(kept[0]?.asked ?? [])].map(async ([name, copy]) => [name, await copy])
    expect(Object.fromEntries((await clock.pass(Promise.all(asked))).value)).toEqual({
      same: SAME,
      other: { is: 'other', code: 'BAD_LINES' },
      none: { is: 'missing', why: 'not there' },
      silent: { is: 'silent' },
      fast: SAME,
    })
    expect(checked).toBe(1)
  })

  it('is asked of each once, and what each had is said in an order of its own', async () => {
    const { reads, sources } = namedSources('lacks b', 'forged', 'lacks a')
    const forged = { ok: false, code: 'WRONG_HASH', detail: '' } as const
    const reader = new BucketReader({ openBucket: () => null, check: () => forged })
    reader.failed.add('lacks a')
    const read = reader.blocks({ sources })
    expect(await read(wanted(block.hash))).toEqual({
      ok: false,
      code: 'MISSING_BLOCK',
      detail: 'nobody has it whole (forged: WRONG_HASH; lacks a: not there; lacks b: not there)',
    })
    expect(reads).toEqual(['lacks b', 'forged', 'lacks a'])
    expect([...reader.failed].sort()).toEqual(['forged', 'lacks a'])
  })
})

describe('the limits of a reader', () => {
  const holders = ['a', 'b'].map((hotkey) => ({ hotkey, url: hotkey }))

  /** A reader of buckets that never answer, and what is being read of each. */
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

  it('are so many reads of each bucket at once, all of which end at the deadline', async () => {
    const { reader, reads } = ofSilent(2)
    const deadline = new AbortController()
    const reading = holders.flatMap(({ hotkey, url }) =>
      [1, 2, 3].map(() => reader.open(hotkey, url, deadline.signal)?.read('x', 1)),
    )
    const ended = Promise.allSettled(reading)
    await new Promise(setImmediate)
    expect(reads.sort()).toEqual(['a', 'a', 'b', 'b'])
    deadline.abort()
    for (const end of await ended) expect(end).toMatchObject({ status: 'rejected' })
    await expect(reader.open('a', 'a', deadline.signal)?.read('x', 1)).rejects.toThrow('not waited')
    expect(reads).toHaveLength(4)
    const later = new AbortController()
    const another = reader.open('a', 'a', later.signal)?.read('x', 1)
    await new Promise(setImmediate)
    expect(reads).toHaveLength(5)
    later.abort()
    await expect(another).rejects.toThrow('not waited')
  })

  it('are 32 blocks at once', async () => {
    const { reader, reads } = ofSilent(100)
    const deadline = new AbortController()
    const places = { holders: holders.slice(0, 1), deadline: deadline.signal }
    const reading = Array.from({ length: 40 }, () => reader.blocks(places)(wanted(block.hash)))
    await new Promise(setImmediate)
    expect(reads).toHaveLength(32)
    deadline.abort()
    await Promise.all(reading)
  })

  it('are forgotten with the next epoch, as to whom failed', () => {
    const { reader } = ofSilent(2)
    reader.failed.add('a')
    reader.beginEpoch({})
    expect([...reader.failed]).toEqual([])
  })

  it('are not forgotten where the same epoch is begun again, as to whom failed', () => {
    const { reader } = ofSilent(2)
    const weights = { a: 1 }
    reader.beginEpoch(weights)
    reader.failed.add('a')
    reader.beginEpoch(weights)
    expect([...reader.failed]).toEqual(['a'])
    reader.beginEpoch({ ...weights })
    expect([...reader.failed]).toEqual([])
  })
})
