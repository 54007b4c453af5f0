import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { words } from '../../../test/words.ts'
import { bucketsIn } from '../src/node/open-bucket.ts'
import { key } from './draft.ts'

const PATH = 'v1/states/1.json'
const root = testFolder('sources')
const local = { platform: 'loopback' } as const
let server: Server
let port: number
let web: string
let asked: string[]

/** A bucket of this name has a file. */
async function put(name: string): Promise<void> {
  const place = join(root, name, PATH)
  await mkdir(dirname(place), { recursive: true })
  await writeFile(place, 'here')
}

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    asked.push(url)
    readFile(join(root, url)).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
  web = `http://127.0.0.1:${port}`
  await put('good')
})
beforeEach(() => {
  asked = []
})
afterAll(() => server.close().closeAllConnections())

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
    for (const base of [root, `${root}/`, web, `${web}/`, undefined])
      expect(bucketsIn(base)('h', name)).toBeNull()
    expect(asked).toEqual([])
  })

  it.each([key.hotkey, 'a', 'a.b-c_d', '0', '-x', '_'])(
    'is a plain name below what the reader chose: %j',
    async (name) => {
      await put(name)
      for (const base of [root, `${root}/`, web, `${web}/`]) {
        const bytes = await bucketsIn(base)('h', name)?.read(PATH, 100)
        expect(String(bytes && Buffer.from(bytes))).toBe('here')
      }
      expect(asked).toEqual(Array(2).fill(`/${name}/${PATH}`))
      expect(bucketsIn(undefined)('h', name)).toBeNull()
    },
  )

  it.each(words('127.0.0.1 localhost [::1] 2130706433 10.0.0.1 169.254.169.254 [fd00::1]'))(
    'is an https URL, and not read from a private address: %s',
    async (host) => {
      for (const base of [root, web, undefined]) {
        const source = bucketsIn(base)('h', `https://${host}:${port}/good`)
        await expect(source?.read('x', 10)).rejects.toThrow(
          /^cannot read https:\/\/\S+\/good\/x: \S+ is at \S+, which is not a public address$/,
        )
      }
      expect(asked).toEqual([])
    },
  )

  it('is an http URL or a private address where the reader allows it', async () => {
    const hosts = [`localhost:${port}`, `2130706433:${port}`].map((host) => `http://${host}/good`)
    for (const url of [`${web}/good`, `${web}/good/`, ...hosts]) {
      expect(bucketsIn(root)('h', url)).toBeNull()
      expect(bucketsIn(root, { platform: 'chutes' })('h', url)).toBeNull()
      const bytes = await bucketsIn(undefined, local)('h', url)?.read(PATH, 100)
      expect(String(bytes && Buffer.from(bytes))).toBe('here')
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
