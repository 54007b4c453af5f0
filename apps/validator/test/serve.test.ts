import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdir, readdir, readlink, symlink, truncate } from 'node:fs/promises'
import { type IncomingMessage, type RequestOptions, request, type ServerResponse } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { blockPath, httpBucket, LIMITS, probePath } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { type Listening, listenWith } from '@affine/node/listen'
import { createBucketOpener } from '@affine/settlement/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { bucketSuite, noise } from '../../../packages/blocks/test/bucket-suite.ts'
import { runAf } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { words } from '../../../test/words.ts'
import { buildPage } from '../../explorer/test/build-page.ts'
import {
  type PageNetwork,
  serveBucketFiles,
  servePageAndBuckets,
} from '../src/service/served-files.ts'
import { servingOf, startAf, writeIn } from './commands.ts'

const FOREVER = 'public, max-age=31536000, immutable'
const BLOCK = `/${blockPath('ab'.repeat(32))}`
const text = '{"role":"user","content":"Compute 1 * 1."}\n'.repeat(1000)
const root = testFolder('serve')
let url: string
const servers: Disposable[] = []

async function serving(folder: string): Promise<string> {
  const server = await listenWith(serveBucketFiles(folder), 0)
  servers.push(server)
  return server.url
}

beforeAll(async () => {
  const bucket = directoryBucket(join(root, 'buckets/5F'))
  await bucket.write(BLOCK.slice(1), Buffer.from(text))
  await bucket.write('v1/states/7.json', Buffer.from('{}'))
  await bucket.write(probePath('5F'), Buffer.from('{}'))
  url = await serving(join(root, 'buckets'))
})
afterAll(() => {
  for (const server of servers) server[Symbol.dispose]()
})

/** Returns the number of files below a folder that this process has open. */
async function openFiles(folder: string): Promise<number> {
  const names = await readdir('/proc/self/fd')
  const places = names.map((name) => readlink(join('/proc/self/fd', name)).catch(() => ''))
  return (await Promise.all(places)).filter((place) => place.startsWith(folder)).length
}

/** Requests the path verbatim, because fetch would normalise it. */
async function ask(path: string, options: RequestOptions = {}, body?: Buffer) {
  const outgoing = request(url, { ...options, path })
  outgoing.on('error', () => {}).end(body)
  const [response]: IncomingMessage[] = await once(outgoing, 'response')
  const { statusCode: status, headers = {} } = response ?? {}
  return { status, headers, body: Buffer.concat((await response?.toArray()) ?? []) }
}
const askWith = (headers: RequestOptions['headers']) => ask(`/5F${BLOCK}`, { headers })

bucketSuite('`af serve <bucket>`', async () => {
  const folder = join(root, 'suite')
  await mkdir(folder)
  const { read } = httpBucket(await serving(folder), { fetch })
  return { bucket: { read, write: directoryBucket(folder).write } }
})

bucketSuite('`af serve <buckets>`', async () => {
  const source = createBucketOpener(url)('5G', '5G')
  if (source === null) throw new Error('the bucket of 5G was not opened')
  return { bucket: { read: source.read, write: directoryBucket(join(root, 'buckets/5G')).write } }
})

describe('a block', () => {
  it('is immutable for caches and open to browsers', async () => {
    const { status, headers, body } = await ask(`/5F${BLOCK}`)
    expect([status, String(body)]).toEqual([200, text])
    expect(headers).toMatchObject({
      'cache-control': FOREVER,
      'content-type': 'application/jsonl',
      'content-length': String(text.length),
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    })
    for (const path of ['v1/states/7.json', probePath('5F')])
      expect((await ask(`/5F/${path}`)).headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': FOREVER,
      })
  })

  it('responds to HEAD', async () => {
    const { status, headers, body } = await ask(`/5F${BLOCK}`, { method: 'HEAD' })
    expect([status, body.length]).toEqual([200, 0])
    const length = String(text.length)
    expect(headers).toMatchObject({ 'cache-control': FOREVER, 'content-length': length })
    expect((await ask('/5F/v1/states/8.json', { method: 'HEAD' })).status).toBe(404)
  })
})

describe('everything else', () => {
  beforeAll(async () => {
    const secrets = words(`
      secret outside/v1/blocks/x buckets/secret buckets/v1/keys/x buckets/.dot/v1/blocks/x
      buckets/5F/v1/secret buckets/5F/v1/blocks/.secret buckets/5F/.env buckets/5F/key
      buckets/5F/v1/blocks/folder/x buckets/5F/blocks/x
    `)
    for (const path of secrets) await writeIn(root, 'secret', path)
    await mkdir(join(root, 'buckets/half/v1'), { recursive: true })
    const links = {
      '5F/v1/blocks/link': join(root, 'secret'),
      '5F/v1/states/link': '../../../../secret',
      '5F/v1/blocks/inside': '../secret',
      '5F/v1/blocks/dangling': 'nowhere',
      '5F/v1/blocks/loop': 'loop',
      linked: join(root, 'outside'),
      'half/v1/blocks': join(root, 'outside/v1/blocks'),
    }
    for (const [path, to] of Object.entries(links)) await symlink(to, join(root, 'buckets', path))
  })

  const paths = [
    ...words(`
      / /5F /5F/ /5F/v1 /5F/v1/ /5F/v1/blocks /5F/v1/blocks/ /v1/blocks/ /5F/v1/states/ /secret
      /5F/blocks/x /5F/key /5F/.env /5F/v1/secret /5F/v1/blocks/.secret /5F/v1/blocks/folder/x
      /v1/keys/x /.dot/v1/blocks/x /5F/v1/blocks/../../key /../secret /.. /5F/../secret
      /5F/v1/blocks/../secret //5F/v1/states/7.json /5F//v1/states/7.json
      /5F/v1/states/%2e%2e/secret /%2e%2e/secret /5F/v1/blocks/..%2f..%2fkey /5F/v1/blocks%2flink
      /5F%00/v1/x /5F/v1/states/7.json%00 /5F/v1/states/7.json/ /5F/v1/states/7%2ejson
      /5F/v1/states/7.json? /5F/v1/states/7.json?a=b /5F/v1/states/7.json#a /5F/v1/states/7.json;a
      /5F/v1/blocks/link /5F/v1/states/link /5F/v1/blocks/inside /5F/v1/blocks/dangling
      /5F/v1/blocks/loop /linked/v1/blocks/x /half/v1/blocks/x /5F/V1/states/7.json
      /5f/v1/states/7.json /5F/v1/states/8.json /__proto__/v1/x
    `),
    '',
    '/5F/v1/blocks/..\\..\\key',
    `/5F/v1/blocks/${'a'.repeat(255)}`,
    `/5F/v1/blocks/${'a'.repeat(4000)}`,
    `/${'a/'.repeat(2000)}`,
  ]
  it.each(paths)('is refused without caching: %s', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await ask(path, { method })
      expect([404, 403, 400]).toContain(status)
      const open = { 'cache-control': 'no-store', 'access-control-allow-origin': '*' }
      if (status !== 400) expect(headers).toMatchObject(open)
      const text = status === 403 ? 'not a file\n' : 'not found\n'
      expect(String(body)).toBe(method === 'HEAD' || status === 400 ? '' : text)
    }
  })

  const methods = words('POST PUT DELETE PATCH OPTIONS PROPFIND QUERY')
  it.each(methods)('is rejected: %s', async (method) => {
    const { status, headers } = await ask(`/5F${BLOCK}`, { method })
    expect([status, headers['cache-control']]).toEqual([404, 'no-store'])
  })

  it('is rejected: oversized and malformed requests', async () => {
    // The response to a partial request may be lost with the connection.
    const large = [
      ask(`/5F/v1/blocks/${'a'.repeat(100_000)}`),
      askWith({ 'x-large': 'a'.repeat(100_000) }),
      ask(`/5F${BLOCK}`, { method: 'POST' }, Buffer.alloc(1 << 24)),
    ]
    for (const ended of await Promise.allSettled(large))
      if (ended.status === 'fulfilled') expect([404, 431]).toContain(ended.value.status)
    const { port } = new URL(url)
    for (const odd of [
      'TRACE /5F/v1/states/7.json HTTP/1.1\r\nHost: a',
      'CONNECT a:1 HTTP/1.1\r\nHost: a',
      'GET / HTTP/1.1',
      'nonsense',
      'GET * HTTP/1.1\r\nHost: a',
    ]) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(`${odd}\r\nConnection: close\r\n\r\n`)
      const response = String(Buffer.concat(await socket.toArray().catch(() => [])))
      expect(response).not.toMatch(/^HTTP\/1.1 200/)
    }
    expect((await ask('/5F/v1/states/7.json')).status).toBe(200)
  })

  it('is rejected: a file over the limit of a block, and an entry that is not a file', async () => {
    const folder = join(root, 'buckets/5F/v1/blocks')
    await truncate(await writeIn(folder, '', 'large'), LIMITS.blockBytes + 1)
    const socket = createServer().listen(join(folder, 'socket'))
    await once(socket, 'listening')
    execFileSync('mkfifo', [join(folder, 'fifo')])
    const local = directoryBucket(join(root, 'buckets/5F'))
    const remote = httpBucket(`${url}/5F`, { fetch })
    for (const name of ['large', 'socket', 'folder', 'fifo', 'link', 'dangling']) {
      const { status, body } = await ask(`/5F/v1/blocks/${name}`)
      const why = name === 'large' ? 'too large\n' : 'not a file\n'
      expect([name, status, String(body)]).toEqual([name, 403, why])
      // No reader may mistake the entry for a missing file.
      for (const bucket of [local, remote])
        await expect(bucket.read(`v1/blocks/${name}`, LIMITS.blockBytes)).rejects.toThrow()
    }
    expect(await openFiles(folder)).toBe(0)
    socket.close()
  })
})

describe('clients that read nothing', () => {
  const LARGE = `/5F/${blockPath('cd'.repeat(32))}`
  const sockets: Socket[] = []
  const answers: ServerResponse[] = []
  const note = (message: unknown): void => {
    answers.push((message as { readonly response: ServerResponse }).response)
  }
  let port: number
  beforeAll(async () => {
    subscribe('http.server.request.start', note)
    const folder = join(root, 'buckets/5F')
    await directoryBucket(folder).write(LARGE.slice(4), noise(LIMITS.blockBytes))
  })
  beforeEach(async () => {
    answers.length = 0
    port = Number(new URL(await serving(join(root, 'buckets'))).port)
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await expectSoon(() => openFiles(root)).toBe(0)
  })
  afterAll(() => unsubscribe('http.server.request.start', note))

  const expectSoon = (value: () => unknown) => expect.poll(value)
  /** Sends a request on a new connection. */
  function send(request: string): Socket {
    const socket = connect(port, '127.0.0.1').pause()
    socket.on('error', () => {}).write(request)
    sockets.push(socket)
    return socket
  }
  const waitForClose = (socket: Socket) =>
    new Promise((done) => (socket.closed ? done(0) : socket.once('close', done)))
  const countAnswers = (status: number): number =>
    answers.filter((each) => each.headersSent && each.statusCode === status).length
  /** Returns the number of bytes that wait in this process to be sent. */
  const countWaitingBytes = (): number =>
    answers.reduce((sum, each) => sum + each.writableLength, 0)

  it('cause a limited number of open files and buffers', async () => {
    const count = 160
    for (let i = 0; i < count; i++) send(`GET ${LARGE} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await expectSoon(() => countAnswers(200) + countAnswers(503)).toBe(count)
    expect(await openFiles(root)).toBeLessThanOrEqual(128)
    expect(countWaitingBytes()).toBeLessThan(128 * 200_000)
    for (const socket of sockets.splice(0)) socket.destroy()
    await expectSoon(() => openFiles(root)).toBe(0)
    const before = countAnswers(200)
    send(`GET ${LARGE} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await expectSoon(() => countAnswers(200)).toBe(before + 1)
  })

  it.each([
    ['1.1', ''],
    ['1.0', 'Connection: keep-alive\r\n'],
  ])('are disconnected when they pipeline requests: HTTP/%s', async (version, more) => {
    const socket = send(`GET ${LARGE} HTTP/${version}\r\nHost: a\r\n${more}\r\n`.repeat(400))
    await waitForClose(socket.resume())
    expect(countAnswers(200)).toBeLessThanOrEqual(1)
    expect(socket.bytesRead).toBeLessThan(2 * LIMITS.blockBytes)
    expect(countWaitingBytes()).toBe(0)
  })

  it('are disconnected after the time limit', async () => {
    const over = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(over.signal)
    for (let i = 0; i < 5; i++) send(`GET ${LARGE} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await expectSoon(() => countAnswers(200)).toBe(5)
    over.abort()
    timeout.mockRestore()
    await expectSoon(() => openFiles(root)).toBe(0)
    expect(answers.map(({ destroyed }) => destroyed)).toEqual(Array(5).fill(true))
  })

  it('have at most 1024 connections, even without requests', async () => {
    let count = 0
    for (let i = 0; i < 1034; i++) {
      const socket = send('').resume()
      socket.once('close', () => count++)
      // Opens fewer connections than the backlog at once: the system delays further ones.
      if (i % 50 === 49) await new Promise((done) => setTimeout(done, 50))
    }
    await expectSoon(() => count).toBe(10)
    for (const socket of sockets.splice(0)) socket.destroy()
    await expectSoon(() => count).toBe(1034)
    expect((await fetch(`http://127.0.0.1:${port}/5F${BLOCK}`)).status).toBe(200)
  })
})

const CHAIN = '{"format":"affine-chain/1"}'
const FINNEY: PageNetwork = { chain: { name: 'finney' } }
const servingPage = async (network = FINNEY): Promise<Listening> =>
  listenWith(await servePageAndBuckets(root, network), 0)
const textAt = async (url: string): Promise<string> => (await fetch(url)).text()

describe('the page next to buckets', () => {
  beforeAll(buildPage)

  it('has a security policy, is revalidated, and its assets are cached', async () => {
    using server = await servingPage()
    const page = await fetch(`${server.url}/`)
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': "frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    })
    const html = await page.text()
    expect(html).toContain("default-src 'self'")
    expect(html.replaceAll("'wasm-unsafe-eval'", '')).not.toMatch(/style=|unsafe/)
    const [[, inline = ''] = [], ...others] = html.matchAll(/<script(?![^>]* src=)[^>]*>([^<]*)/g)
    const hash = createHash('sha256').update(inline).digest('base64')
    expect(html).toContain(`script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}';`)
    expect(others).toEqual([])
    const [, script = ''] = /src="\.(\/assets\/[^"]+\.js)"/.exec(html) ?? []
    const { headers } = await fetch(server.url + script)
    expect(headers.get('cache-control')).toContain('immutable')
  })

  it('names the configured chain: a served export, or a name', async () => {
    const chain = { file: await writeIn(root, CHAIN, 'chain.json') }
    using server = await servingPage({ chain, names: { a: 'b' } })
    const file = JSON.parse(await textAt(`${server.url}/network.json`))
    expect(file).toEqual({ chain: 'chain.json', buckets: './', names: { a: 'b' } })
    expect(await textAt(`${server.url}/chain.json`)).toBe(CHAIN)
    using other = await servingPage({ chain: { name: 'wss://node' }, netuid: 7, firstEpoch: 8 })
    const node = { chain: 'wss://node', buckets: './', netuid: 7, firstEpoch: 8 }
    expect(JSON.parse(await textAt(`${other.url}/network.json`))).toEqual(node)
    expect((await fetch(`${other.url}/chain.json`)).status).toBe(404)
  })

  it('forwards other paths to the buckets and reads no other file', async () => {
    using server = await servingPage({ chain: { file: join(root, 'gone.json') } })
    for (const path of ['/chain.json', '/package.json', '/assets/', '/..%2fpackage.json'])
      expect((await fetch(server.url + path)).status, path).toBe(404)
    expect((await fetch(server.url, { method: 'POST' })).status).toBe(404)
    const head = await fetch(server.url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

describe('af serve', () => {
  it('serves a bucket and the given chain until Ctrl-C, and exits with 130', async () => {
    const [chain, folder] = [await writeIn(root, CHAIN), join(root, 'buckets/5F')]
    const words = ['serve', folder, '--port', '0', '--json', '--network', chain]
    const served = startAf(words)
    const record = await servingOf(served)
    expect(record).toMatchObject({ type: 'serving', folder })
    expect(await textAt(`${record.url}${BLOCK}`)).toBe(text)
    expect(await textAt(`${record.url}/chain.json`)).toBe(CHAIN)
    const stderr = expect.not.stringContaining(' at ')
    expect(await served.stop()).toMatchObject({ code: 130, stderr })
  })

  it('exits with 4 if the port is in use', async () => {
    const busy = await runAf(['serve', root, '--port', new URL(url).port])
    const stderr = expect.stringMatching(/^af: port \d+ is in use: choose another.*\n$/m)
    expect(busy).toMatchObject({ code: 4, stderr })
  })

  it('publishes no key that the URL in a variable may contain', async () => {
    const env = { SUBTENSOR_ENDPOINT: 'wss://node/s3cret' }
    const { code, stdout, stderr } = await runAf(['serve', root, '--port', '0'], { env })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^af: the URL in SUBTENSOR_ENDPOINT may contain a key.*--network\n$/)
  })
})
