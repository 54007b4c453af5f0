import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { nodeFetch as fetch } from '@affine/node/http'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeServers, serve } from '../../../test/web-server.ts'
import { words } from '../../../test/words.ts'
import { type S3Options, s3Bucket } from '../src/s3-bucket.ts'
import { bucketSuite, bytes, freshPath, noise, text } from './bucket-suite.ts'
import { patient } from './patient.ts'

const keys = { accessKeyId: 'ID-of-the-key', secretAccessKey: 'the+secret/half=of-the-key' }
let emulator: Miniflare
let place: S3Options

/** Undoes a fault of Cloudflare's emulator of R2: it compresses bodies that are gzip already. */
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
  closeServers()
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

/**
 * Fate of a request. `cut before`: the service does not receive it. `cut after`: the service
 * answers, and the response is lost. A number, alone or with an error code: the test responds with
 * this status in place of the service.
 */
type Step = 'pass' | 'cut before' | 'cut after' | number | `${number} ${string}`
/** Returns the XML of a service's error. */
const errorOf = (code: string): string =>
  `<Error><Code>${code}</Code><AWSAccessKeyId>${keys.accessKeyId}</AWSAccessKeyId></Error>`
/** Returns a bucket whose first requests have the fates `steps`, in order. Later requests pass. */
function bucketWithFaults(...steps: readonly Step[]) {
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
  return { asked, bucket: s3Bucket({ ...place, fetch: troubledFetch }) }
}

/** Resolves with the error of a read or write. */
const rejectionOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('it was written'),
    (error: unknown) => error,
  )

describe('a write', () => {
  it.each<readonly [readonly Step[], string, RegExp]>([
    [['cut before'], 'PUT', /: ECONNRESET$/],
    [['cut after'], 'PUT', /: terminated$/],
    [[503], 'PUT', /: status 503$/],
    [[412, 'cut before'], 'PUT GET', /: ECONNRESET$/],
    [[412, 503], 'PUT GET', /: status 503$/],
    [[412, 'pass'], 'PUT GET', /: no file exists after the response 412$/],
    // The service confirms a write of a file that it does not have, or has only later.
    [[200, 'pass'], 'PUT GET', /: no file exists after the response 200$/],
    [['pass', '404 NoSuchKey'], 'PUT GET', /: no file exists after the response 200$/],
    [['200 InternalError'], 'PUT', /: status 200 InternalError$/],
    [['200 NoSuchKey', 'pass'], 'PUT GET', /: no file exists after the response 404$/],
    [['200 PreconditionFailed', 'pass'], 'PUT GET', /: no file exists after the response 412$/],
  ])('rejects after %j, and succeeds if the caller repeats it', async (steps, want, message) => {
    const path = freshPath()
    const { asked, bucket } = bucketWithFaults(...steps)
    const error = await rejectionOf(bucket.write(path, bytes('x')))
    expect(error).toMatchObject({ isFinal: false })
    expect(String(error)).toMatch(new RegExp(`: cannot write http.*jsonl${message.source}`))
    expect(asked.join(' ')).toBe(want)
    await bucket.write(path, bytes('x'))
    expect(text(await bucket.read(path, 1))).toBe('x')
  })

  it('rejects if the service returns other bytes', async () => {
    // Like a service that forgets the Content-Encoding of the file.
    const forgetful: typeof fetch = async (url, init) => {
      const response = await emulatorFetch(url, init)
      return init?.method === 'PUT' ? response : new Response('\x1f\x8b…', response)
    }
    const writing = s3Bucket({ ...place, fetch: forgetful }).write(freshPath(), bytes('x'))
    const reason = 'the service returns other content than was written'
    await expect(writing).rejects.toMatchObject({ code: 'lost', reason, isFinal: true })
  })

  it('signs its gzipped body', async () => {
    const path = freshPath()
    let changed = 0
    const spoiling: typeof fetch = async (url, init) => {
      const body = new Uint8Array(await new Response(init?.body ?? null).arrayBuffer())
      expect(Object.fromEntries(new Headers(init?.headers))).toEqual({
        authorization: expect.stringContaining(
          'content-encoding;content-md5;content-type;host;if-none-match;x-amz-content-sha256;x-amz-date',
        ),
        'content-encoding': 'gzip',
        'content-md5': createHash('md5').update(body).digest('base64'),
        'content-type': 'application/jsonl',
        'if-none-match': '*',
        'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
        'x-amz-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
      })
      expect(gunzipSync(body)).toHaveLength(100_000)
      expect(body.length).toBeLessThan(1000)
      body[20]! ^= 1
      changed += 1
      return fetch(url, { ...init, body })
    }
    await expect(
      s3Bucket({ ...place, fetch: spoiling }).write(path, bytes('x'.repeat(100_000))),
    ).rejects.toThrow(/status 40\d \w*SHA256Mismatch/i)
    expect(changed).toBe(1)
    expect(await s3Bucket(place).read(path, 100_000)).toBeNull()
  })
})

describe('a read', () => {
  it.each<Step>(['cut before', 'cut after', 503])('is not repeated after %s', async (step) => {
    const { bucket, asked } = bucketWithFaults(step)
    const message = expect.stringMatching(/^cannot read http.*jsonl: ./)
    const reading = bucket.read(freshPath(), 10)
    await expect(reading).rejects.toMatchObject({ message, isFinal: false })
    expect(asked).toEqual(['GET'])
  })

  it('returns the written bytes, even if the caller’s buffer changed during the write, and rejects a file over the limit', async () => {
    const path = freshPath()
    const before = noise(100_000)
    // The second write finds the file and compares it.
    for (const content of [before.slice(), before.slice()]) {
      const write = s3Bucket(place).write(path, content)
      content.fill(0)
      await write
      expect(Buffer.compare((await s3Bucket(place).read(path, 100_000))!, before)).toBe(0)
    }
    const failure = { code: 'too-large', isFinal: true }
    await expect(s3Bucket(place).read(path, 9)).rejects.toMatchObject(failure)
  })

  it('rejects a response of status 412', async () => {
    const { bucket } = bucketWithFaults('412 AnyCode')
    await expect(bucket.read('x', 100)).rejects.toMatchObject({ code: 'status', status: 412 })
  })
})

describe('a failure', () => {
  it.each<readonly [string, Partial<S3Options>, RegExp]>([
    [
      'a wrong secret',
      { secretAccessKey: 'wrong+secret' },
      /403 SignatureDoesNotMatch: The request/,
    ],
    ['an unknown key', { accessKeyId: 'wrong-id' }, /401 Unauthorized: Unauthorized$/],
    ['no such bucket', { bucket: 'nowhere' }, /404 NoSuchBucket: The specified .* not exist\.$/],
  ])('is reported without a key: %s', async (_, wrong, reason) => {
    const bucket = s3Bucket({ ...place, ...wrong })
    for (const work of [() => bucket.read('x', 10), () => bucket.write('x', bytes('x'))]) {
      const error = await rejectionOf(work())
      expect(error).toMatchObject({ reason: expect.stringMatching(reason), isFinal: true })
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(
        /\+secret|wrong-id|ID-of|Signature=|AWS4/,
      )
    }
  })

  /** By status, the codes of transient failures; `none` for no code. */
  const PASSES: Readonly<Record<number, string>> = {
    400: `RequestTimeout IncompleteBody ClientDisconnect BadDigest XAmzContentSHA256Mismatch
      Throttling ThrottlingException`,
    403: 'SlowDown RequestThrottled RequestLimitExceeded',
    408: 'RequestTimeout none',
    409: 'OperationAborted ConditionalRequestConflict none',
    429: 'SlowDown TooManyRequests none',
    500: 'InternalError UnknownError none',
    502: 'none',
    503: `ServiceUnavailable XMinioServerNotInitialized SlowDown SlowDownRead SlowDownWrite
      RequestTimeout none`,
    522: 'none',
  }
  /** By status, the codes of permanent failures. */
  const LASTS: Readonly<Record<number, string>> = {
    302: 'none',
    307: 'TemporaryRedirect none',
    400: 'XMinioAdminBucketQuotaExceeded EntityTooLarge InvalidBucketName constructor none',
    403: 'QuotaExceeded RequestTimeTooSkewed AccessDenied SignatureDoesNotMatch none',
    404: 'NoSuchBucket none',
    501: 'NotImplemented none',
    507: 'XMinioStorageFull none',
  }
  const rowsOf = (answers: Readonly<Record<number, string>>, mayPass: boolean) =>
    Object.entries(answers).map(
      ([status, codes]) => [Number(status), words(codes), mayPass] as const,
    )
  it.each([...rowsOf(PASSES, true), ...rowsOf(LASTS, false)])(
    'is reported for status %d with any code of %j, transient: %s',
    async (status, codes, mayPass) => {
      for (const code of codes) {
        const step: Step = code === 'none' ? status : `${status} ${code}`
        const ending = `: status ${status}${code === 'none' ? '' : ` ${code}`}`
        const { bucket } = bucketWithFaults(step, step)
        for (const work of [bucket.read('x', 10), bucket.write('x', bytes('x'))]) {
          const error = await rejectionOf(work)
          expect(String(error)).toContain(ending)
          expect(String(error)).not.toContain(keys.accessKeyId)
          expect(error).toMatchObject({ code: 'status', status, isFinal: !mayPass })
        }
      }
    },
  )

  const message = `Clé ${keys.accessKeyId} is wrong \x1b[2J${'x'.repeat(1000)}`
  it.each([
    [
      `<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`,
      /^status 403 AccessDenied: Cl\? \*{4} is wrong \?\[2Jx{170,180}$/,
    ],
    ['<Code>\x1b[2J</Code>', /^status 403$/],
  ])(
    'has the service’s message, bounded, in printable ASCII and without the key',
    async (body, printable) => {
      const answer = async () => new Response(body, { status: 403 })
      const reading = s3Bucket({ ...place, fetch: answer }).read('x', 10)
      const reason = expect.stringMatching(printable)
      await expect(reading).rejects.toMatchObject({ code: 'status', status: 403, reason })
    },
  )

  it('is reported for a redirect, which is not followed', async () => {
    const hit: string[] = []
    const other = await serve(({ url = '' }, response) => void response.end(hit.push(url)))
    for (const status of [301, 307]) {
      let requests = 0
      const endpoint = await serve((_, response) => {
        requests += 1
        response.writeHead(status, { location: `${other}/x` }).end()
      })
      const bucket = s3Bucket({ ...place, endpoint, fetch })
      const why = `status ${status}`
      await expect(bucket.write('x', bytes('x'))).rejects.toThrow(why)
      await expect(bucket.read('x', 10)).rejects.toThrow(why)
      expect(requests).toBe(2)
    }
    expect(hit).toEqual([])
  })

  it('is reported for a missing response', async () => {
    const endpoint = await serve(() => {})
    const bucket = s3Bucket({ ...place, endpoint, timeoutMs: 50, fetch })
    const late = { code: 'late', reason: 'no complete response in time' }
    await expect(bucket.read('x', 10)).rejects.toMatchObject(late)
    await expect(bucket.write('x', bytes('x'))).rejects.toMatchObject(late)
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
  ])('is reported for a wrong option: %j', (wrong, message) => {
    expect(() => s3Bucket({ ...place, ...wrong })).toThrow(message)
    expect(() => s3Bucket({ ...place, ...wrong })).not.toThrow(/hush|two|pasted|the-key/)
  })
})

it.each([
  ['path', 'https://example.org/bucket/v1/x.json'],
  ['virtual', 'https://bucket.example.org/v1/x.json'],
] as const)('names the bucket in style %s', async (style, url) => {
  const requests: unknown[] = []
  const noted: typeof fetch = async (place) => {
    requests.push(place)
    return new Response('x')
  }
  const bucket = s3Bucket({ ...place, style, endpoint: 'https://example.org', fetch: noted })
  await bucket.read('v1/x.json', 10)
  await bucket.write('v1/x.json', bytes('x'))
  expect(requests).toEqual([url, url, url])
})
