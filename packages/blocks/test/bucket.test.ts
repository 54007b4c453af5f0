import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  link,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createServer as createSocket } from 'node:net'
import { join } from 'node:path'
import { nodeFetch as fetch } from '@affine/node/http'
import { afterAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers, serve } from '../../../test/web-server.ts'
import { words } from '../../../test/words.ts'
import { directoryBucket } from '../src/directory-bucket.ts'
import { httpBucket, isBucketPath } from '../src/index.ts'
import { bucketSuite, bytes, pathsOf, text } from './bucket-suite.ts'

const root = testFolder('blocks')

afterAll(closeServers)

bucketSuite('directoryBucket', async () => ({ bucket: directoryBucket(join(root, 'suite')) }))

bucketSuite('httpBucket over a plain web server', async () => {
  const url = await serve((request, response) => {
    readFile(join(root, 'web', request.url?.replace(/^\/a\/bucket\//, '') ?? '')).then(
      (content) => response.end(content),
      () => response.writeHead(404).end('not here'),
    )
  })
  const { write } = directoryBucket(join(root, 'web'))
  return { bucket: { ...httpBucket(`${url}/a/bucket`, { fetch }), write } }
})

it('accepts paths of blocks, states and probes, and no paths outside their folders or of hidden files', () => {
  for (const path of pathsOf('ab'.repeat(32), 7, '5F')) {
    expect(isBucketPath(path), path).toBe(true)
    for (const other of [`/${path}`, `5F/${path}`, `${path}/x`, `${path}\n`, path.slice(3)])
      expect(isBucketPath(other), other).toBe(false)
  }
  for (const path of ['', ...words('v1 v1/ v1/x v1/blocks v1/blocks/ v1/blocks/.x v1/owner.json')])
    expect(isBucketPath(path), path).toBe(false)
})

describe('directoryBucket', () => {
  it('makes files and folders accessible by mode and umask', async () => {
    const place = join(root, 'owners')
    await directoryBucket(place, 0o600).write('secrets/1', bytes('x'))
    await directoryBucket(place).write('open/1', bytes('x'))
    const modes = ['secrets', 'secrets/1', 'open', 'open/1'].map(async (path) => {
      const { mode } = await stat(join(place, path))
      return mode & 0o777
    })
    const allowed = ~process.umask()
    expect(await Promise.all(modes)).toEqual([0o700, 0o600, 0o777 & allowed, 0o666 & allowed])
  })

  it('completes a write that a crash interrupted', async () => {
    const folder = join(root, 'crash')
    await mkdir(folder)
    await writeFile(join(folder, '.left.tmp'), 'ha')
    await link(join(folder, '.left.tmp'), join(folder, 'half')) // the writer crashed after link(2)
    await directoryBucket(folder).write('half', bytes('ha'))
    await directoryBucket(folder).write('whole', bytes('whole'))
    expect(text(await directoryBucket(folder).read('whole', 5))).toBe('whole')
  })

  it('rejects a link, folder, FIFO or socket in the place of a file, without waiting', async () => {
    const folder = join(root, 'odd')
    const bucket = directoryBucket(folder)
    await bucket.write('v1/blocks/x', bytes('x'))
    const at = (name: string): string => join(folder, 'v1/blocks', name)
    await symlink('/proc/self/maps', at('endless'))
    await symlink('x', at('same-folder'))
    await symlink('nowhere', at('dangling'))
    await symlink('loop', at('loop'))
    await symlink('/dev/zero', at('device'))
    await mkdir(at('folder'))
    execFileSync('mkfifo', [at('fifo')])
    const socket = createSocket().listen(at('socket'))
    await once(socket, 'listening')
    for (const name of await readdir(join(folder, 'v1/blocks'))) {
      if (name === 'x') continue
      const path = `v1/blocks/${name}`
      await expect(bucket.read(path, 1 << 20)).rejects.toThrow(`${at(name)}: not a file`)
      for (const content of ['lose', 'x'])
        await expect(bucket.write(path, bytes(content))).rejects.toMatchObject({ code: 'conflict' })
    }
    expect(text(await bucket.read('v1/blocks/x', 1))).toBe('x')
    await expect(bucket.read('v1/blocks/x/y', 10)).rejects.toThrow('not a file')
    socket.close()
  })

  it('accepts a link to the bucket’s folder, and rejects a link inside that folder', async () => {
    const outside = directoryBucket(join(root, 'elsewhere'))
    await outside.write('v1/blocks/x', bytes('secret'))
    await mkdir(join(root, 'linking/v1'), { recursive: true })
    await symlink(join(root, 'elsewhere/v1/blocks'), join(root, 'linking/v1/blocks'))
    const bucket = directoryBucket(join(root, 'linking'))
    await expect(bucket.read('v1/blocks/x', 100)).rejects.toThrow('not a file')
    for (const path of ['v1/blocks/x', 'v1/blocks/new'])
      await expect(bucket.write(path, bytes('secret'))).rejects.toThrow(
        'a folder of this path is a link: ',
      )
    expect(await readdir(join(root, 'elsewhere/v1/blocks'))).toEqual(['x'])
    await symlink(join(root, 'elsewhere'), join(root, 'moved'))
    expect(text(await directoryBucket(join(root, 'moved')).read('v1/blocks/x', 6))).toBe('secret')
  })

  it('reads at most the limit, regardless of the size that a file claims', async () => {
    const before = await readFile('/proc/self/maps')
    expect(before.length).toBeGreaterThan(10) // although its stats report 0 bytes
    const bucket = directoryBucket('/proc/self')
    await expect(bucket.read('maps', 10)).rejects.toThrow('maps: larger than 10 bytes')
    await expect(bucket.write('maps', new Uint8Array())).rejects.toThrow()
    const large = join(root, 'large')
    await mkdir(large)
    await writeFile(join(large, 'x'), '')
    await truncate(join(large, 'x'), 2 ** 36) // stores nothing
    const writing = directoryBucket(large).write('x', bytes('x'))
    await expect(writing).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('httpBucket', () => {
  const REDIRECTS = [301, 302, 303, 307, 308]
  const wrong: readonly (readonly [string, RequestListener, string])[] = [
    ...[201, 206, 301, 302, 303, 304, 307, 308, 400, 403, 410, 500, 503].map(
      (status): [string, RequestListener, string] => [
        `status ${status}`,
        (_, response) => response.writeHead(status, { location: '/y' }).end(),
        `status ${status}${REDIRECTS.includes(status) ? ': no redirect' : ''}`,
      ],
    ),
    [
      'plain text called gzip',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain'),
      'incorrect header check',
    ],
    [
      'an answer cut short',
      (_, response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('short', () => response.destroy())
      },
      'aborted',
    ],
  ]
  it.each(wrong)('rejects %s with an error that contains the URL', async (_, listener, why) => {
    const url = await serve(listener)
    await expect(httpBucket(url, { fetch }).read('a/b', 100)).rejects.toThrow(
      `cannot read ${url}/a/b: ${why}`,
    )
  })

  it('rejects a missing response and a slow body after the time limit', async () => {
    const mute = await serve(() => {})
    const drip = await serve((_, response) => {
      const timer = setInterval(() => response.write('a'), 5)
      response.on('close', () => clearInterval(timer))
    })
    // The read must end in time even if fetch ignores the signal.
    const forgetful: typeof fetch = (url) => fetch(url)
    const cases = [[mute, fetch] as const, [drip, fetch] as const, [drip, forgetful] as const]
    for (const [url, each] of cases) {
      const read = httpBucket(url, { fetch: each, timeoutMs: 200 }).read('x', 1 << 20)
      const message = `cannot read ${url}/x: no complete response in time`
      await expect(read).rejects.toMatchObject({ code: 'late', message })
    }
  })

  it('reports a refused connection', async () => {
    const read = httpBucket('http://127.0.0.1:1', { fetch }).read('x', 10)
    const message = expect.stringContaining('http://127.0.0.1:1/x: nothing listens there')
    await expect(read).rejects.toMatchObject({ code: 'connection', message })
  })

  it.each([
    ...['file:///etc', 'data:text/plain,x', 'nonsense', 'ftp://x', 'xhttp://x', ''],
    ...['https://me:word@x', 'https://me@x', 'https://:word@x'],
  ])('rejects the URL %s', (url) => {
    expect(() => httpBucket(url, { fetch })).toThrow(TypeError)
    expect(() => httpBucket(url, { fetch })).toThrow(/^"url" expected (?!.*word@)/)
  })
})
