import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { directoryBucket } from '../src/directory-bucket.ts'
import { type Bucket, blockPath, httpBucket, statePath } from '../src/index.ts'

let root: string
const open: Server[] = []

async function serve(listener: RequestListener): Promise<string> {
  const started = createServer(listener)
  open.push(started)
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'blocks-'))
})

afterAll(async () => {
  for (const started of open) {
    started.closeAllConnections()
    started.close()
  }
  await rm(root, { recursive: true })
})

const text = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes))
const bytes = (content: string) => new TextEncoder().encode(content)

/** Every implementation reads what was written into one directory. */
const implementations: Record<string, () => Promise<Pick<Bucket, 'read'>>> = {
  directoryBucket: async () => directoryBucket(join(root, 'shared')),
  'httpBucket over the same directory': async () => {
    const url = await serve((request, response) => {
      readFile(join(root, 'shared', request.url?.replace(/^\/a\/bucket\//, '') ?? '')).then(
        (content) => response.end(content),
        () => response.writeHead(404).end('not here'),
      )
    })
    return httpBucket(`${url}/a/bucket`)
  },
}

describe.each(Object.entries(implementations))('%s', (_, make) => {
  let bucket: Pick<Bucket, 'read'>
  beforeAll(async () => {
    bucket = await make()
    const writer = directoryBucket(join(root, 'shared'))
    await writer.write(statePath(3), bytes('{"epoch":3}'))
    await writer.write(blockPath('ab'.repeat(32)), bytes('x'.repeat(300_000)))
    await writer.write('empty', new Uint8Array())
  })

  it('reads what was written, to the byte', async () => {
    const read = await bucket.read('v1/states/3.json', 11)
    expect(read).toBeInstanceOf(Uint8Array)
    expect(text(read)).toBe('{"epoch":3}')
    expect(text(await bucket.read(blockPath('ab'.repeat(32)), 300_000))).toBe('x'.repeat(300_000))
    expect(await bucket.read('empty', 0)).toHaveLength(0)
  })

  it('has null for what is not there', async () => {
    expect(await bucket.read(blockPath('cd'.repeat(32)), 100)).toBeNull()
    expect(await bucket.read('no/such/folder', 100)).toBeNull()
  })

  it('rejects more than the limit', async () => {
    await expect(bucket.read('v1/states/3.json', 10)).rejects.toThrow(/v1\/states\/3\.json.* larger than 10 bytes/)
    await expect(bucket.read(blockPath('ab'.repeat(32)), 299_999)).rejects.toThrow('larger than 299999 bytes')
  })

  it.each([
    '',
    '/etc/passwd',
    '../secret',
    'v1/../../secret',
    'v1//x',
    'v1/',
    '.hidden',
    'v1/.x',
    'a\\b',
    'a b',
    'a%2e',
    'a?b',
    'é',
    'x\0',
    'x\n',
  ])('rejects the path %j', async (path) => {
    await expect(bucket.read(path, 100)).rejects.toThrow(RangeError)
  })
})

describe('directoryBucket', () => {
  it('writes the same bytes again, never others', async () => {
    const bucket = directoryBucket(join(root, 'again'))
    await bucket.write('v1/blocks/x', bytes('one'))
    await bucket.write('v1/blocks/x', bytes('one'))
    await expect(bucket.write('v1/blocks/x', bytes('two'))).rejects.toThrow(/v1\/blocks\/x is there with other bytes/)
    await expect(bucket.write('v1/blocks/x', bytes(''))).rejects.toThrow('other bytes')
    expect(text(await bucket.read('v1/blocks/x', 10))).toBe('one')
    expect(await readdir(join(root, 'again/v1/blocks'))).toEqual(['x'])
  })

  it('lets one of many writers win, and leaves one whole file', async () => {
    const bucket = directoryBucket(join(root, 'race'))
    const contents = Array.from({ length: 20 }, (_, i) => `${i % 4}`.repeat(50_000))
    const done = await Promise.allSettled(contents.map((content) => bucket.write('a/b/c', bytes(content))))
    const won = text(await bucket.read('a/b/c', 50_000))
    expect(done.map(({ status }) => status)).toEqual(contents.map((each) => (each === won ? 'fulfilled' : 'rejected')))
    expect(await readdir(join(root, 'race/a/b'))).toEqual(['c'])
  })

  it('ends a write that a crash had cut off', async () => {
    const folder = join(root, 'crash')
    await mkdir(folder)
    await writeFile(join(folder, '.left.tmp'), 'ha')
    await link(join(folder, '.left.tmp'), join(folder, 'half')) // linked, but the writer never heard
    await directoryBucket(folder).write('half', bytes('ha'))
    await directoryBucket(folder).write('whole', bytes('whole'))
    expect(text(await directoryBucket(folder).read('whole', 5))).toBe('whole')
  })

  it.each(['../x', '.x', '/x', 'a/../x', ''])('rejects writing to %j', async (path) => {
    await expect(directoryBucket(join(root, 'paths')).write(path, bytes('x'))).rejects.toThrow(RangeError)
  })

  it('does not overwrite through a link, or take a folder for a file', async () => {
    const folder = join(root, 'links')
    await mkdir(join(folder, 'folder'), { recursive: true })
    await writeFile(join(root, 'outside'), 'keep')
    await symlink(join(root, 'outside'), join(folder, 'inside'))
    await expect(directoryBucket(folder).write('inside', bytes('lose'))).rejects.toThrow('other bytes')
    await expect(directoryBucket(folder).write('folder', bytes('x'))).rejects.toThrow()
    await expect(directoryBucket(folder).read('folder', 1 << 20)).rejects.toThrow()
    expect(await readFile(join(root, 'outside'), 'utf8')).toBe('keep')
  })

  it('passes on what the system refuses', async () => {
    await writeFile(join(root, 'file'), '')
    await expect(directoryBucket(join(root, 'file')).write('x', bytes('x'))).rejects.toThrow(/ENOTDIR|EEXIST/)
  })
})

describe('httpBucket', () => {
  const hit: string[] = []

  it('follows no redirect', async () => {
    const secret = await serve((request, response) => {
      hit.push(request.url ?? '')
      response.end('secret')
    })
    const url = await serve((_, response) => response.writeHead(302, { location: `${secret}/x` }).end())
    await expect(httpBucket(url).read('x', 100)).rejects.toThrow(/^cannot read http.*\/x: .*redirect/)
    expect(hit).toEqual([])
  })

  it.each([201, 206, 304, 400, 403, 410, 500, 503])('rejects status %d, naming the place', async (status) => {
    const url = await serve((_, response) => response.writeHead(status).end())
    await expect(httpBucket(url).read('a/b', 100)).rejects.toThrow(`cannot read ${url}/a/b: status ${status}`)
  })

  it('stops an endless answer at the limit', async () => {
    let sent = 0
    let closed = false
    const url = await serve((_, response) => {
      const more = () => {
        sent += 65_536
        if (!response.destroyed) response.write(new Uint8Array(65_536), () => setImmediate(more))
      }
      response.on('close', () => {
        closed = true
      })
      more()
    })
    await expect(httpBucket(url).read('x', 1_000_000)).rejects.toThrow('larger than 1000000 bytes')
    await expect.poll(() => closed).toBe(true)
    expect(sent).toBeLessThan(50_000_000)
  })

  it('rejects an answer cut short', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('short', () => response.destroy())
    })
    await expect(httpBucket(url).read('x', 1000)).rejects.toThrow(/^cannot read http.*\/x: /)
  })

  it('gives up on silence, before the answer and within it', async () => {
    const mute = await serve(() => {})
    await expect(httpBucket(mute, { timeoutMs: 50 }).read('x', 10)).rejects.toThrow(/\/x: .*timeout/)
    const slow = await serve((_, response) => void response.write('a'))
    await expect(httpBucket(slow, { timeoutMs: 50 }).read('x', 10)).rejects.toThrow(/\/x: .*timeout/)
  })

  it('names a refused connection', async () => {
    await expect(httpBucket('http://127.0.0.1:1').read('x', 10)).rejects.toThrow(
      /^cannot read http:\/\/127\.0\.0\.1:1\/x: .*(ECONNREFUSED|bad port)/,
    )
  })

  it('takes a fetch, and keeps the path under the URL', async () => {
    const asked: string[] = []
    const fetch = async (place: string | URL | Request) => {
      asked.push(String(place))
      return new Response(new Uint8Array([1, 2]))
    }
    for (const url of ['https://example.org/a/b', new URL('https://example.org/a/b/')]) {
      expect(await httpBucket(url, { fetch }).read('v1/x', 2)).toEqual(Uint8Array.of(1, 2))
    }
    expect(asked).toEqual(Array(2).fill('https://example.org/a/b/v1/x'))
  })

  it.each(['file:///etc', 'data:text/plain,x', 'nonsense', 'ftp://x'])('refuses the URL %s', (url) => {
    expect(() => httpBucket(url)).toThrow(TypeError)
  })
})
