import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { AwsV4Signer } from 'aws4fetch'
import { type Bucket, checkPath, mediaType } from './bucket.ts'
import { failed, folderUrl, type HttpOptions, readBody } from './http-bucket.ts'

/** Where a bucket is, and who asks. The time is for one request. */
export interface S3Options extends HttpOptions {
  /** The service's URL, without the bucket: `https://<account>.r2.cloudflarestorage.com`. */
  readonly endpoint: string | URL
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** `auto`, which is R2's, if left out. */
  readonly region?: string
  /** Is the bucket named in the URL's path, as when left out, or in its host? */
  readonly style?: 'path' | 'virtual'
  /**
   * How often a write is tried again, 5 times if left out: after 250 ms, then after twice as long
   * each time.
   */
  readonly retries?: number
}

/** What to do about a code, or about a status: 0 stands for every redirect. */
const ADVICE = new Map<string | number, string>([
  ['NoSuchBucket', 'make the bucket, or mend its name'],
  ['RequestTimeTooSkewed', 'set the clock of this machine'],
  [0, 'no redirect is followed; mend the endpoint, region or style'],
  [403, 'mend the keys, or let them read, list and write the bucket'],
  [501, 'take a service with conditional writes (If-None-Match)'],
])

/** What would be the same if it were tried again. */
class Refusal extends Error {}

/**
 * A bucket in a service that speaks S3 and honours `If-None-Match: *`, which is what refuses to
 * overwrite. Files are gzipped on the way and in storage; readers get what was written. A write is
 * tried again while the network or the service fails, a read is not. No redirect is followed. No
 * error has a key in it.
 * @throws TypeError unless `endpoint` is an http or https URL and the keys are printable ASCII;
 *   RangeError for a name of a bucket that S3 does not take.
 */
export function s3Bucket({
  endpoint,
  bucket,
  accessKeyId,
  secretAccessKey,
  ...options
}: S3Options): Bucket {
  const {
    region = 'auto',
    style,
    fetch = globalThis.fetch,
    timeoutMs = 30_000,
    retries = 5,
  } = options
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new RangeError(
      `"bucket" expected 3 to 63 of a-z, 0-9, "." and "-", got ${JSON.stringify(bucket)}`,
    )
  if (!/^[!-~]+ [!-~]+$/.test(`${accessKeyId} ${secretAccessKey}`))
    throw new TypeError(
      '"accessKeyId" and "secretAccessKey" expected printable ASCII without spaces',
    )
  const base = folderUrl(
    `${endpoint}`.replace('://', style === 'virtual' ? `://${bucket}.` : '://'),
    'endpoint',
  )
  if (style !== 'virtual') base.pathname += `${bucket}/`

  /**
   * Gets a file, or puts one where there is none. `status` is 200, 404 for no file, or 412; `bytes`
   * null for too many.
   */
  async function ask(url: string, limit: number, body: Uint8Array<ArrayBuffer> | null) {
    const put = { 'content-encoding': 'gzip', 'content-type': mediaType(url), 'if-none-match': '*' }
    const headers = {
      'x-amz-content-sha256': bytesToHex(sha256(body ?? new Uint8Array())),
      ...(body && put),
    }
    const request = { method: body ? 'PUT' : 'GET', headers, body }
    const signer = new AwsV4Signer({
      ...request,
      url,
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
    })
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, {
      ...request,
      ...(await signer.sign()),
      redirect: 'manual',
      signal,
    })
    const bytes = await readBody(response, response.ok ? limit : 65_536, signal)
    const status = response.ok ? 200 : response.status
    if (status === 200 || status === 412) return { status, bytes }
    const [, code = ''] =
      /<Code>(\w{1,64})<\/Code>/.exec(new TextDecoder().decode(bytes ?? undefined)) ?? []
    if (code === 'NoSuchKey') return { status, bytes: null }
    const passes = [408, 409, 429].includes(status) || (status >= 500 && status !== 501)
    const advice =
      ADVICE.get(code) ??
      ADVICE.get(status < 400 ? 0 : status) ??
      'mend the endpoint, region or keys'
    throw new (passes ? Error : Refusal)(`status ${status} ${code || 'without a code'}: ${advice}`)
  }

  async function put(url: string, bytes: Uint8Array, body: Uint8Array<ArrayBuffer>): Promise<void> {
    if ((await ask(url, 65_536, body)).status === 200) return
    // Somebody's, or ours from a try whose answer was lost.
    const there = await ask(url, bytes.length, null)
    if (there.status !== 200) throw new Error('it was there, and is gone')
    if (there.bytes?.length !== bytes.length || there.bytes.some((byte, i) => byte !== bytes[i]))
      throw new Refusal('it is there with other bytes')
  }

  async function read(path: string, limit: number): Promise<Uint8Array | null> {
    const url = new URL(checkPath(path), base).href
    const { status, bytes } = await ask(url, limit, null).catch((error) =>
      Promise.reject(failed(`read ${url}`, error)),
    )
    if (status === 200 && bytes === null)
      throw failed(`read ${url}`, new Error(`larger than ${limit} bytes`))
    return bytes
  }

  async function write(path: string, bytes: Uint8Array): Promise<void> {
    const url = new URL(checkPath(path), base).href
    const own = bytes.slice()
    const zipped = new Blob([own]).stream().pipeThrough(new CompressionStream('gzip'))
    const body = new Uint8Array(await new Response(zipped).arrayBuffer())
    for (let left = retries, pauseMs = 250; ; left--, pauseMs *= 2)
      try {
        return await put(url, own, body)
      } catch (error) {
        if (left <= 0 || error instanceof Refusal) throw failed(`write ${url}`, error)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
  }
  return { read, write }
}
