import { createHash } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { AwsV4Signer } from 'aws4fetch'
import { Miniflare } from 'miniflare'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { nodeFetch as fetch } from '../src/node-fetch.ts'
import { PASSING } from '../src/s3-answer.ts'
import { BucketRefusal, type S3Options, s3Bucket } from '../src/s3-bucket.ts'
import { bucketSuite, bytes, freshPath, noise, text } from './bucket-suite.ts'
import { patient } from './patient.ts'

const keys = { accessKeyId: 'ID-of-the-key', secretAccessKey: 'the+secret/half=of-the-key' }
let emulator: Miniflare
let place: S3Options
const servers: Server[] = []

/**
 * Cloudflare's emulator of R2 gzips the body of a file that says it is gzipped once more, which R2
 * does not. Undo that.
 */
const emulatorFetch: typeof fetch = async (...request) => {
  const response = await fetch(...request)
  const isTwice = response.headers.get('content-encoding') === 'gzip'
  return isTwice
    ? new Response(response.body!.pipeThrough(new DecompressionStream('gzip')), response)
    : response
}

beforeAll(async () => {
  const r2Buckets = { B: { id: 'bucket', s3Credentials: keys } }
  emulator = new Miniflare({ cf: false, modules: true, script: 'export default {}', r2Buckets })
  const endpoint = new URL('/cdn-cgi/local/r2/s3', await emulator.ready)
  place = { endpoint, bucket: 'bucket', ...keys, now: Date.now, fetch: emulatorFetch }
})
afterAll(async () => {
  for (const server of servers) server.close().closeAllConnections()
  await emulator?.dispose()
})

bucketSuite('s3Bucket on R2', async () => ({ bucket: patient(s3Bucket(place)) }))

const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_REGION, S3_STYLE } =
  process.env
if (S3_ENDPOINT && S3_BUCKET && S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY) {
  const at: S3Options = {
    now: Date.now,
    endpoint: S3_ENDPOINT,
    bucket: S3_BUCKET,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    region: S3_REGION || 'auto',
    style: S3_STYLE === 'virtual' ? 'virtual' : 'path',
    fetch,
  }
  bucketSuite(`s3Bucket on ${S3_ENDPOINT}`, async () => ({ bucket: patient(s3Bucket(at)) }))
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Pauses between tries pass at once, and are noted. */
function skipPauses(): number[] {
  const pauses: number[] = []
  const { setTimeout } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    done: () => void,
    ms = 0,
    ...rest: unknown[]
  ) => {
    const isPause = ms >= 250 && rest.length === 0 && Number.isInteger(Math.log2(ms / 250))
    if (isPause) pauses.push(ms)
    return setTimeout(done, isPause ? 0 : ms, ...rest)
  }) as typeof setTimeout)
  return pauses
}
afterEach(() => void vi.restoreAllMocks())

/** A number, with or without a code, is the status of an answer that the service never gave. */
type Step = 'pass' | 'cut before' | 'cut after' | number | `${number} ${string}`
/** What services answer with instead of a file. */
const errorOf = (code: string): string => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`
/** The service behind a network that does one thing after the other, then works. */
function troubled(...steps: readonly Step[]) {
  const asked: string[] = []
  const left = [...steps]
  const troubledFetch: typeof fetch = async (url, init) => {
    asked.push(init?.method ?? '')
    const step = left.shift() ?? 'pass'
    const [, status, code] = /^(\d+) ?(\w*)$/.exec(`${step}`) ?? []
    if (status) return new Response(code && errorOf(code), { status: Number(status) })
    if (step === 'cut before')
      throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') })
    const response = await emulatorFetch(url, init)
    if (step === 'pass') return response
    await response.body?.cancel()
    throw new TypeError('terminated')
  }
  return {
    asked,
    bucket: (options?: Partial<S3Options>) =>
      s3Bucket({ ...place, fetch: troubledFetch, ...options }),
  }
}

describe('a write that is tried again', () => {
  it.each<readonly [readonly Step[], string]>([
    [['cut before'], 'PUT PUT GET'],
    [['cut after'], 'PUT PUT GET'],
    [['cut after', 'cut after', 'cut after'], 'PUT PUT PUT PUT GET'],
    [['cut after', 'pass', 'cut before'], 'PUT PUT GET PUT GET'],
    [['cut after', 'pass', 503], 'PUT PUT GET PUT GET'],
    [[500, 502, 503, 504, 429], 'PUT PUT PUT PUT PUT PUT GET'],
    [[408, 409, 'cut before', 'cut after'], 'PUT PUT PUT PUT PUT GET'],
    [['400 RequestTimeout'], 'PUT PUT GET'],
    [['403 SlowDown', '400 ThrottlingException'], 'PUT PUT PUT GET'],
    // It says that it took the file, and did not.
    [['200 InternalError'], 'PUT PUT GET'],
    [[200, 'pass', 200], 'PUT GET PUT GET PUT GET'],
    // It took the file, and has it only later.
    [['pass', '404 NoSuchKey', 'pass', '404 NoSuchKey'], 'PUT GET PUT GET PUT GET'],
  ])('goes on after %j', async (steps, asked) => {
    const pauses = skipPauses()
    const path = freshPath()
    const trouble = troubled(...steps)
    await patient(trouble.bucket()).write(path, bytes('one'))
    expect(trouble.asked.join(' ')).toBe(asked)
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000].slice(0, pauses.length))
    expect(text(await s3Bucket(place).read(path, 3))).toBe('one')
  })

  it('finds another’s bytes after a lost answer, and leaves them', async () => {
    skipPauses()
    const path = freshPath()
    await s3Bucket(place).write(path, bytes('theirs'))
    const { bucket, asked } = troubled('cut after', 'pass', 'pass')
    await expect(patient(bucket()).write(path, bytes('ours'))).rejects.toThrow(
      `${path}: it is there with other bytes`,
    )
    expect(asked).toEqual(['PUT', 'PUT', 'GET'])
    expect(text(await s3Bucket(place).read(path, 6))).toBe('theirs')
  })

  it('is tried a bounded number of times, and then says why', async () => {
    const pauses = skipPauses()
    for (const [retries, expected] of [
      [0, 0],
      [2, 2],
      [undefined, 5],
    ] as const) {
      pauses.length = 0
      const { bucket, asked } = troubled(...Array(20).fill('cut before'))
      const write = patient(bucket(), retries).write(freshPath(), bytes('x'))
      await expect(write).rejects.toThrow(/^cannot write http.*jsonl: ECONNRESET$/)
      expect(asked).toHaveLength(expected + 1)
      expect(pauses).toEqual([250, 500, 1000, 2000, 4000].slice(0, expected))
    }
    const { bucket } = troubled(503, 503)
    await expect(patient(bucket(), 1).write(freshPath(), bytes('x'))).rejects.toThrow(
      'status 503 without a code',
    )
  })

  it.each([400, 401, 403, 404, 405, 411, 501])(
    'is not tried again after status %d',
    async (status) => {
      const { bucket, asked } = troubled(status)
      await expect(patient(bucket()).write(freshPath(), bytes('x'))).rejects.toThrow(
        `status ${status} without a code`,
      )
      expect(asked).toEqual(['PUT'])
    },
  )

  it('holds what it was given, also if the caller’s buffer changes', async () => {
    skipPauses()
    const [path, content] = [freshPath(), noise(100_000)]
    const before = content.slice()
    const write = patient(troubled('cut after').bucket()).write(path, content)
    content.fill(0)
    await write
    expect(Buffer.compare((await s3Bucket(place).read(path, 100_000))!, before)).toBe(0)
  })
})

/** What a write or a read rejects with. */
const rejectionOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('it was written'),
    (error: unknown) => error,
  )

describe('a write', () => {
  it.each<readonly [readonly Step[], string, RegExp]>([
    [['cut before'], 'PUT', /: ECONNRESET$/],
    [['cut after'], 'PUT', /: terminated$/],
    [[408], 'PUT', /: status 408 without a code$/],
    [[409], 'PUT', /: status 409 without a code$/],
    [[429], 'PUT', /: status 429 without a code$/],
    [[500], 'PUT', /: status 500 without a code$/],
    [[503], 'PUT', /: status 503 without a code$/],
    [[412, 'cut before'], 'PUT GET', /: ECONNRESET$/],
    [[412, 503], 'PUT GET', /: status 503 without a code$/],
    [[412, 'pass'], 'PUT GET', /: nothing is there after the answer 412$/],
    [[200, 'pass'], 'PUT GET', /: nothing is there after the answer 200$/],
    [['200 NoSuchKey', 'pass'], 'PUT GET', /: nothing is there after the answer 404$/],
    [['200 PreconditionFailed', 'pass'], 'PUT GET', /: nothing is there after the answer 412$/],
  ])('is not tried again by the bucket, but may be, after %j', async (steps, asked, message) => {
    const pauses = skipPauses()
    const trouble = troubled(...steps)
    const error = await rejectionOf(trouble.bucket().write(freshPath(), bytes('x')))
    expect(error).toMatchObject({ message: expect.stringMatching(message) })
    expect(error).toMatchObject({ message: expect.stringMatching(/^cannot write http.*jsonl: /) })
    expect(error).not.toBeInstanceOf(BucketRefusal)
    expect(trouble.asked.join(' ')).toBe(asked)
    expect(pauses).toEqual([])
  })

  it.each([301, 307, 400, 401, 403, 404, 405, 411, 501])(
    'is refused with status %d',
    async (status) => {
      const { bucket, asked } = troubled(status)
      const error = await rejectionOf(bucket().write(freshPath(), bytes('x')))
      expect(error).toBeInstanceOf(BucketRefusal)
      expect(String(error)).toMatch(
        new RegExp(`^Error: cannot write http.*jsonl: status ${status} without a code$`),
      )
      expect(asked).toEqual(['PUT'])
    },
  )

  it('is refused where other bytes are', async () => {
    const path = freshPath()
    await s3Bucket(place).write(path, bytes('theirs'))
    const error = await rejectionOf(s3Bucket(place).write(path, bytes('ours')))
    expect(error).toBeInstanceOf(BucketRefusal)
    expect(String(error)).toMatch(
      new RegExp(`^Error: cannot write http.*${path}: it is there with other bytes$`),
    )
  })

  it('is refused where other bytes come back than went there', async () => {
    // As where the service forgets that the file is gzipped.
    const forgetful: typeof fetch = async (url, init) => {
      const response = await emulatorFetch(url, init)
      return init?.method === 'PUT' ? response : new Response('\x1f\x8b…', response)
    }
    const error = await rejectionOf(
      s3Bucket({ ...place, fetch: forgetful }).write(freshPath(), bytes('x')),
    )
    expect(error).toBeInstanceOf(BucketRefusal)
    expect(String(error)).toMatch(/: the service gives other bytes than it took$/)
  })

  it('signs its gzipped body', async () => {
    const path = freshPath()
    let changed = 0
    const spoiling: typeof fetch = async (url, init) => {
      const body = new Uint8Array(await new Response(init?.body ?? null).arrayBuffer())
      const headers = new Headers(init?.headers)
      expect(headers.get('x-amz-content-sha256')).toBe(
        createHash('sha256').update(body).digest('hex'),
      )
      expect(headers.get('authorization')).toContain(
        'content-encoding;content-type;host;if-none-match;x-amz-content-sha256;x-amz-date',
      )
      expect(headers.get('content-encoding')).toBe('gzip')
      expect(headers.get('content-type')).toBe('application/jsonl')
      expect(gunzipSync(body)).toHaveLength(100_000)
      expect(body.length).toBeLessThan(1000)
      body[20]! ^= 1
      changed += 1
      return fetch(url, { ...init, body })
    }
    const bucket = s3Bucket({ ...place, fetch: spoiling })
    await expect(bucket.write(path, bytes('x'.repeat(100_000)))).rejects.toThrow(
      /status 40\d \w*SHA256Mismatch/i,
    )
    expect(changed).toBe(1)
    expect(await s3Bucket(place).read(path, 100_000)).toBeNull()
  })

  it('holds what it was given, also if the caller’s buffer changes', async () => {
    const path = freshPath()
    const before = noise(100_000)
    // The second time it is there, and is compared.
    for (const content of [before.slice(), before.slice()]) {
      const write = s3Bucket(place).write(path, content)
      content.fill(0)
      await write
      expect(Buffer.compare((await s3Bucket(place).read(path, 100_000))!, before)).toBe(0)
    }
  })
})

describe('a read', () => {
  it.each<Step>(['cut before', 'cut after', 500, 503, 429])(
    'is not tried again after %s',
    async (step) => {
      const { bucket, asked } = troubled(step)
      await expect(bucket().read(freshPath(), 10)).rejects.toThrow(/^cannot read http.*jsonl: ./)
      expect(asked).toEqual(['GET'])
    },
  )

  it('is refused where trying again is pointless', async () => {
    const path = freshPath()
    await s3Bucket(place).write(path, bytes('0123456789'))
    await expect(s3Bucket(place).read(path, 9)).rejects.toBeInstanceOf(BucketRefusal)
    for (const status of [403, 501])
      await expect(troubled(status).bucket().read(path, 10)).rejects.toBeInstanceOf(BucketRefusal)
    for (const step of ['cut before', 'cut after', 408, 503] as const)
      await expect(troubled(step).bucket().read(path, 10)).rejects.not.toBeInstanceOf(BucketRefusal)
  })

  it('takes a 404 that does not say NoSuchKey for trouble, not for a missing file', async () => {
    const html = await serve((_, response) => response.writeHead(404).end('<html>not here</html>'))
    await expect(s3Bucket({ ...place, endpoint: html }).read('x', 10)).rejects.toThrow(
      'status 404 without a code',
    )
  })

  it('takes nothing that comes with a 412 for a file', async () => {
    const endpoint = await serve((_, response) => response.writeHead(412).end('<html>no</html>'))
    await expect(s3Bucket({ ...place, endpoint }).read('x', 100)).rejects.toThrow(
      /^cannot read http.*x: status 412/,
    )
  })

  it('inflates no more than the limit', async () => {
    const path = freshPath()
    await s3Bucket(place).write(path, new Uint8Array(1 << 27))
    const { rss } = process.memoryUsage()
    await expect(s3Bucket(place).read(path, 1_000_000)).rejects.toThrow('larger than 1000000 bytes')
    expect(process.memoryUsage().rss - rss).toBeLessThan(100_000_000)
  })

  it('reads what another tool put there without gzip', async () => {
    const path = freshPath()
    const { endpoint, bucket } = place
    const request = { method: 'PUT', url: `${endpoint}/${bucket}/${path}`, body: 'plain' }
    const signer = new AwsV4Signer({ ...keys, ...request, service: 's3', region: 'auto' })
    const { url, method, headers } = await signer.sign()
    expect((await fetch(url, { method, headers, body: 'plain' })).status).toBe(200)
    expect(text(await s3Bucket(place).read(path, 5))).toBe('plain')
  })
})

describe('what is wrong', () => {
  const problems: readonly (readonly [string, Partial<S3Options>, RegExp])[] = [
    ['a wrong secret', { secretAccessKey: 'wrong+secret' }, /: status 403 SignatureDoesNotMatch$/],
    ['an unknown key', { accessKeyId: 'wrong-id' }, /: status 401 Unauthorized$/],
    ['no such bucket', { bucket: 'nowhere' }, /: status 404 NoSuchBucket$/],
  ]
  it.each(problems)('is said, without a key: %s', async (_, wrong, message) => {
    const bucket = patient(s3Bucket({ ...place, ...wrong }))
    for (const work of [() => bucket.read('x', 10), () => bucket.write('x', bytes('x'))]) {
      const error = await work().then(String, (error: Error) => error)
      expect(error).toMatchObject({ message: expect.stringMatching(message) })
      expect(error).toBeInstanceOf(BucketRefusal)
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(
        /secret|-id|ID-of|Signature=|AWS4/,
      )
    }
  })

  /** What services answer with for a while, by their documentation or their source. */
  const passing: readonly (readonly [string, number, string])[] = [
    ['Amazon', 500, 'InternalError'],
    ['Amazon', 503, 'ServiceUnavailable'],
    ['Ceph', 500, 'UnknownError'],
    ['MinIO', 503, 'XMinioServerNotInitialized'],
    ['a proxy', 502, ''],
    ['Cloudflare', 522, ''],
    ['Amazon', 503, 'SlowDown'],
    ['Google', 429, 'SlowDown'],
    ['a service', 403, 'SlowDown'],
    ['MinIO', 503, 'SlowDownRead'],
    ['MinIO', 503, 'SlowDownWrite'],
    ['R2', 429, 'TooManyRequests'],
    ['a service', 400, 'Throttling'],
    ['a service', 400, 'ThrottlingException'],
    ['a service', 403, 'RequestThrottled'],
    ['a service', 403, 'RequestLimitExceeded'],
    ['a proxy', 429, ''],
    ['Amazon', 409, 'OperationAborted'],
    ['Amazon', 409, 'ConditionalRequestConflict'],
    ['a proxy', 409, ''],
    ['Amazon', 400, 'RequestTimeout'],
    ['Ceph', 408, 'RequestTimeout'],
    ['MinIO', 503, 'RequestTimeout'],
    ['Amazon', 400, 'IncompleteBody'],
    ['R2', 400, 'ClientDisconnect'],
    ['Amazon', 400, 'BadDigest'],
    ['Ceph', 400, 'XAmzContentSHA256Mismatch'],
    ['a proxy', 408, ''],
  ]
  /** What they answer with for as long as nobody does something. */
  const lasting: readonly (readonly [string, number, string])[] = [
    ['Ceph', 403, 'QuotaExceeded'],
    ['MinIO', 400, 'XMinioAdminBucketQuotaExceeded'],
    ['MinIO', 507, 'XMinioStorageFull'],
    ['a proxy', 507, ''],
    ['Amazon', 400, 'EntityTooLarge'],
    ['a proxy', 413, ''],
    ['Amazon', 403, 'RequestTimeTooSkewed'],
    ['R2', 400, 'ExpiredRequest'],
    ['Amazon', 403, 'AccessDenied'],
    ['Amazon', 403, 'InvalidAccessKeyId'],
    ['Amazon', 403, 'SignatureDoesNotMatch'],
    ['R2', 401, 'Unauthorized'],
    ['a proxy', 403, ''],
    ['a proxy', 401, ''],
    ['Amazon', 403, 'AccountProblem'],
    ['Amazon', 403, 'AllAccessDisabled'],
    ['Amazon', 403, 'InvalidPayer'],
    ['R2', 403, 'NotEntitled'],
    ['Amazon', 403, 'NotSignedUp'],
    ['Google', 403, 'UserProjectAccountProblem'],
    ['Ceph', 403, 'UserSuspended'],
    ['a proxy', 402, ''],
    ['Amazon', 404, 'NoSuchBucket'],
    ['R2', 400, 'InvalidBucketName'],
    ['Amazon', 301, 'PermanentRedirect'],
    ['Amazon', 307, 'TemporaryRedirect'],
    ['a proxy', 302, ''],
    ['a proxy', 303, ''],
    ['a proxy', 308, ''],
    ['Amazon', 501, 'NotImplemented'],
    ['a proxy', 501, ''],
    ['Amazon', 400, 'AuthorizationHeaderMalformed'],
    ['nobody', 400, 'constructor'],
    ['nobody', 400, '\x1b[2J'],
  ]
  const answers = [
    ...passing.map((answer) => [...answer, true] as const),
    ...lasting.map((answer) => [...answer, false] as const),
  ]
  it.each(answers)('is what %s answers with %d %s', async (_, status, code, mayPass) => {
    const secrets = `<AWSAccessKeyId>${keys.accessKeyId}</AWSAccessKeyId>`
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code>${secrets}</Error>`
    const answer: typeof fetch = async () => new Response(body, { status })
    const bucket = s3Bucket({ ...place, fetch: answer })
    const named = /^\w+$/.test(code) ? code : 'without a code'
    for (const work of [bucket.read('x', 10), bucket.write('x', bytes('x'))]) {
      const error = await rejectionOf(work)
      expect(String(error)).toContain(`: status ${status} ${named}`)
      expect(error instanceof BucketRefusal).toBe(!mayPass)
      expect(String(error)).not.toContain(keys.accessKeyId)
    }
  })

  it('is each code and status that may pass', () => {
    const given = new Set(passing.flat().map(String))
    for (const each of PASSING) expect(given).toContain(each)
  })

  it('is the service’s trouble, and not the region’s, if its message says so', async () => {
    const body = '<Error><Code>SlowDown</Code><Message>This region is busy</Message></Error>'
    const busy: typeof fetch = async () => new Response(body, { status: 503 })
    const error = await rejectionOf(s3Bucket({ ...place, fetch: busy }).write('x', bytes('x')))
    expect(error).not.toBeInstanceOf(BucketRefusal)
  })

  it.each([
    "<Message>the region 'auto' is wrong; expecting 'eu-west-3'</Message>",
    '<Message>The region is wrong</Message><Region>eu-west-3</Region>',
  ])('is a region that the service names: %s', async (named) => {
    const body = `<Error><Code>AuthorizationHeaderMalformed</Code>${named}</Error>`
    const endpoint = await serve((_, response) => response.writeHead(400).end(body))
    const bucket = patient(s3Bucket({ ...place, endpoint, fetch }))
    await expect(bucket.read('x', 10)).rejects.toThrow(
      'for the region auto; set the region eu-west-3 (S3_REGION)',
    )
  })

  it('is a redirect, which is not followed', async () => {
    const hit: string[] = []
    const other = await serve(({ url = '' }, response) => void response.end(hit.push(url)))
    for (const status of [301, 302, 307, 308]) {
      let asked = 0
      const endpoint = await serve((_, response) => {
        asked += 1
        response.writeHead(status, { location: `${other}/x` }).end()
      })
      const bucket = patient(s3Bucket({ ...place, endpoint, fetch }))
      const why = `status ${status} without a code`
      await expect(bucket.write('x', bytes('x'))).rejects.toThrow(why)
      await expect(bucket.read('x', 10)).rejects.toThrow(why)
      expect(asked).toBe(2)
    }
    expect(hit).toEqual([])
  })

  it('is silence', async () => {
    const options = { ...place, endpoint: await serve(() => {}), timeoutMs: 50, fetch }
    await expect(s3Bucket(options).read('x', 10)).rejects.toThrow(
      /^cannot read http.*\/x: .*timeout/,
    )
    await expect(s3Bucket(options).write('x', bytes('x'))).rejects.toThrow(
      /^cannot write http.*\/x: .*timeout/,
    )
  })

  it.each<readonly [Partial<S3Options>, string]>([
    [{ endpoint: 'ftp://x' }, '"endpoint" expected'],
    [{ endpoint: 'nonsense' }, '"endpoint" expected'],
    [{ endpoint: 'https://me:hush@example.org' }, '"endpoint" expected'],
    [{ style: 'virtual' }, '"style" expected path'],
    [{ bucket: '' }, '"bucket" expected'],
    [{ bucket: 'a/b' }, '"bucket" expected'],
    [{ bucket: 'Upper' }, '"bucket" expected'],
    [{ bucket: '../x' }, '"bucket" expected'],
    [{ accessKeyId: '' }, '"accessKeyId" and'],
    [{ secretAccessKey: 'two words' }, '"accessKeyId" and'],
    [{ secretAccessKey: 'pasted\n' }, '"accessKeyId" and'],
  ])('is an option: %j', (wrong, message) => {
    expect(() => s3Bucket({ ...place, ...wrong })).toThrow(message)
    expect(() => s3Bucket({ ...place, ...wrong })).not.toThrow(/hush|two|pasted|the-key/)
  })
})

it.each([
  ['path', 'https://example.org/bucket/v1/x.json'],
  ['virtual', 'https://bucket.example.org/v1/x.json'],
] as const)('names the bucket in style %s', async (style, url) => {
  const asked: unknown[] = []
  const noted: typeof fetch = async (place) => {
    asked.push(place)
    return new Response('x')
  }
  await s3Bucket({ ...place, style, endpoint: 'https://example.org', fetch: noted }).read(
    'v1/x.json',
    10,
  )
  await s3Bucket({ ...place, style, endpoint: 'https://example.org/', fetch: noted }).write(
    'v1/x.json',
    bytes('x'),
  )
  expect(asked).toEqual([url, url, url])
})
