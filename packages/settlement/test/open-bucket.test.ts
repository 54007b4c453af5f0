import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { STATE_BYTES } from '@affine/blocks'
import type { Account } from '@affine/chain'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { hotkeys, ReadingSubnet } from '../../../test/attacks/reading-subnet.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers, serve } from '../../../test/web-server.ts'
import { words } from '../../../test/words.ts'
import { createBucketOpener, expectBuckets } from '../src/node/open-bucket.ts'
import { key } from './draft.ts'

const PATH = 'v1/states/1.json'
const root = testFolder('sources')
const local = { platform: 'loopback' } as const
let requests: string[] = []

/** Writes a file into a bucket of this name. */
async function put(name: string): Promise<void> {
  const place = join(root, name, PATH)
  await mkdir(dirname(place), { recursive: true })
  await writeFile(place, 'here')
}

const web = await serve(({ url = '' }, response) => {
  requests.push(url)
  readFile(join(root, url)).then(
    (bytes) => response.end(bytes),
    () => response.writeHead(404).end(),
  )
})
const { port } = new URL(web)
await put('good')
beforeEach(() => {
  requests = []
})
afterAll(closeServers)

describe('an announced bucket', () => {
  const hostile = [
    ...words(`
      . .. ../x ../../etc/passwd ./x x/ x/y x/../y /etc/passwd //evil.example/x C: x:y
      file:///etc/passwd data:,x http://127.0.0.1:1/ http://example.org HTTPS://EVIL.EXAMPLE
      https:evil.example https:// https:/// https://x:99999/ https://me@x/ ftp://x/
      https://me:word@x/ https://x/? https://x/?a=b https://x/#a https://x/%2e%2e https://[::1
      wss://x/ %2e%2e ..%2fx x%00 ~ .ssh @evil.example x@evil.example ?x #x x?y [::1] *
    `),
    ...['', 'x\\y', '..\\x', 'x\u0000', 'x\ny', 'x y', '\uff0e\uff0e', 'x\u2044y', '$HOME', '`id`'],
    ...['https://x/a b', 'https://x\\y', 'https://x/\n', ' https://x/', 'https://x/\u001b[2J'],
    'https://ex\u00e4mple.org/',
  ]

  it.each(hostile)('with an unsafe name or URL is never opened: %j', (name) => {
    for (const base of [root, `${root}/`, web, `${web}/`, undefined])
      expect(createBucketOpener(base)('h', name)).toBeNull()
    expect(requests).toEqual([])
  })

  it.each([key.hotkey, 'a', 'a.b-c_d', '0', '-x', '_'])(
    'with a plain name is read below the reader’s place: %j',
    async (name) => {
      await put(name)
      for (const base of [root, `${root}/`, web, `${web}/`]) {
        const bytes = await createBucketOpener(base)('h', name)?.read(PATH, 100)
        expect(String(bytes && Buffer.from(bytes))).toBe('here')
      }
      expect(requests).toEqual(Array(2).fill(`/${name}/${PATH}`))
      expect(createBucketOpener(undefined)('h', name)).toBeNull()
    },
  )

  it.each(words('127.0.0.1 localhost [::1] 2130706433 10.0.0.1 169.254.169.254 [fd00::1]'))(
    'at an https URL is not read from a private address: %s',
    async (host) => {
      for (const base of [root, web, undefined]) {
        const source = createBucketOpener(base)('h', `https://${host}:${port}/good`)
        await expect(source?.read('x', 10)).rejects.toThrow(
          /^cannot read https:\/\/\S+\/good\/x: \S+ is at \S+, which is not a public address$/,
        )
      }
      expect(requests).toEqual([])
    },
  )

  it('is read over http and at a private address only on a local network', async () => {
    const hosts = [`localhost:${port}`, `2130706433:${port}`].map((host) => `http://${host}/good`)
    for (const url of [`${web}/good`, `${web}/good/`, ...hosts]) {
      expect(createBucketOpener(root)('h', url)).toBeNull()
      expect(createBucketOpener(root, { platform: 'chutes' })('h', url)).toBeNull()
      const bytes = await createBucketOpener(undefined, local)('h', url)?.read(PATH, 100)
      expect(String(bytes && Buffer.from(bytes))).toBe('here')
    }
    expect(requests).toHaveLength(4)
    const tls = createBucketOpener(root, local)('h', `https://127.0.0.1:${port}/good`)
    await expect(tls?.read('x', 10)).rejects.toThrow(/wrong version number/)
    for (const url of ['file:///etc', 'http://me:word@127.0.0.1/', 'http://x/?y'])
      expect(createBucketOpener(root, local)('h', url)).toBeNull()
  })

  it('has the name of its hotkey', () => {
    for (const url of ['https://example.org/bucket', 'good'])
      expect(createBucketOpener(root)('h', url)?.name).toBe('h')
  })
})

describe('the place of buckets that are announced by name', async () => {
  const subnet = new ReadingSubnet([100, 100])
  await subnet.begin()
  const names = [...hotkeys(subnet.voters)].sort()

  /** Returns the URL of a server that answers a path with the status of its bucket. */
  function serveStatuses(...statuses: readonly number[]): Promise<string> {
    const byName = new Map(names.map((name, i) => [name, statuses[i] ?? 404]))
    return serve(({ url = '' }, response) => {
      response.writeHead(byName.get(url.split('/')[1] ?? '') ?? 404).end()
    })
  }

  it.each([
    ['the caller’s mistake', 404, 404, 'RangeError', 'none of the 2 '],
    ['unavailable', 503, 503, 'Error', '2 of the 2 .* cannot be read .*status 503'],
    ['unavailable', 404, 403, 'Error', '1 of the 2 .* cannot be read .*status 403'],
  ])('is reported as %s if the buckets answer %i and %i', async (_, one, other, name, why) => {
    const place = await serveStatuses(one, other)
    const message = expect.stringMatching(` ${place}[,:] ${why}`)
    await expect(expectBuckets(subnet, place)).rejects.toMatchObject({ name, message })
  })

  it('is accepted if one bucket is readable, or larger than a state may be', async () => {
    await expectBuckets(subnet, await serveStatuses(503, 200))
    const large = await serve((_, response) => void response.end('0'.repeat(STATE_BYTES + 1)))
    await expectBuckets(subnet, large)
  })

  it('may be a URL without buckets before the first states are written', async () => {
    const network = { ...subnet.network, firstEpoch: 99 }
    await expectBuckets({ chain: subnet.chain, network }, await serveStatuses(404, 404))
  })

  it('may be missing unless all buckets were announced by name', async () => {
    const message = expect.stringMatching(`by name, such as (${names.join('|')})$`)
    await expect(expectBuckets(subnet, undefined)).rejects.toMatchObject({
      name: 'RangeError',
      message,
    })
    const mixed = new ReadingSubnet([100, 100])
    const state = await mixed.begin()
    const [first] = mixed.voters as [Account, Account]
    await mixed.attest(first, state, [], 'https://example.org/bucket')
    await expectBuckets(mixed, undefined)
  })

  it('is accepted if it is a folder with at least one announced bucket', async () => {
    const place = join(root, 'folders')
    await mkdir(place)
    await expect(expectBuckets(subnet, place)).rejects.toThrow(RangeError)
    const [one = '', other = ''] = names
    await writeFile(join(place, one), 'a file')
    await expect(expectBuckets(subnet, place)).rejects.toThrow(`, got ${place}: none of the 2 `)
    await symlink(other, join(place, other)) // to itself
    await expect(expectBuckets(subnet, place)).rejects.toThrow(
      '1 of the 2 announced by name cannot',
    )
    await rm(join(place, one))
    await mkdir(join(place, one))
    await expectBuckets(subnet, place)
  })
})
