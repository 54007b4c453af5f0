import { type Bucket, checkPath, mediaType } from './bucket.ts'
import { errorOf, folderUrl, type HttpOptions } from './http-bucket.ts'
import { BucketRefusal, readAnswer, type S3Answer } from './s3-answer.ts'
import { AMAZON, type Dialect, type Signer, signedHeaders } from './s3-signature.ts'

export { BucketRefusal, type Dialect }

/** The place of a bucket and the credentials. The time is for one request. */
export interface S3Options extends HttpOptions {
  /** The service's URL, without the bucket: `https://<account>.r2.cloudflarestorage.com`. */
  readonly endpoint: string | URL
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The time now, in milliseconds since 1970: requests are signed with it. */
  readonly now: () => number
  /** `auto`, which is R2's, if left out. */
  readonly region?: string
  /** Is the bucket named in the URL's path, as when left out, or in its host? */
  readonly style?: 'path' | 'virtual'
  /** Amazon's, which nearly all services take, if left out. */
  readonly dialect?: Dialect
}

/**
 * A bucket in a service that speaks S3 and honours its dialect's condition, in Amazon's
 * `If-None-Match: *`, which is what refuses to overwrite. Files are gzipped on the way and in
 * storage; readers get what was written. A write ends with reading it back. Does not retry: what it
 * rejects with is a `BucketRefusal` where that is pointless. A write may be tried again, also one
 * whose answer was lost. No redirect is followed. No error has a key in it. Protocol §6.4.
 * @throws TypeError unless `endpoint` is an http or https URL, in which the host has a name if
 *   `style` is virtual, and the keys are printable ASCII; RangeError for a name of a bucket that S3
 *   does not take.
 */
export function s3Bucket(options: S3Options): Bucket {
  checkNameAndKeys(options)
  const base = bucketUrl(options)
  const { region = 'auto', dialect = AMAZON, timeoutMs = 30_000, ...given } = options
  const account: S3Account = { ...given, region, dialect, timeoutMs }

  async function read(path: string, limit: number): Promise<Uint8Array | null> {
    const url = new URL(checkPath(path), base).href
    try {
      const { status, bytes } = await askS3({ url, body: null, limit }, account)
      if (status === 200 && bytes === null) throw new BucketRefusal(`larger than ${limit} bytes`)
      if (status === 412) throw new BucketRefusal('status 412, though a read has no condition')
      return bytes
    } catch (error) {
      throw s3ErrorOf(`read ${url}`, error)
    }
  }

  /**
   * Writes, and reads once what is there then: not every service that says it took a file has it,
   * and what is written is soon promised on chain. It is read by the key and not at the public
   * address, where a cache may remember for a while that there was nothing.
   */
  async function put(url: string, bytes: Uint8Array, body: Uint8Array<ArrayBuffer>): Promise<void> {
    const { status } = await askS3({ url, body, limit: null }, account)
    // Somebody's, or ours from a try whose answer was lost.
    const there = await askS3({ url, body: null, limit: bytes.length }, account)
    if (there.status !== 200) throw new Error(`nothing is there after the answer ${status}`)
    if (areEqual(there.bytes, bytes)) return
    const isOurs = status === 200
    throw new BucketRefusal(
      isOurs ? 'the service gives other bytes than it took' : 'it is there with other bytes',
    )
  }

  async function write(path: string, bytes: Uint8Array): Promise<void> {
    const url = new URL(checkPath(path), base).href
    // The caller's buffer may change meanwhile.
    const own = bytes.slice()
    const body = await gzip(own)
    try {
      await put(url, own, body)
    } catch (error) {
      throw s3ErrorOf(`write ${url}`, error)
    }
  }
  return { read, write }
}

/** Where the bucket's paths begin. */
function bucketUrl({ endpoint, bucket, style }: S3Options): URL {
  const base = folderUrl(endpoint, 'endpoint')
  if (style !== 'virtual') {
    base.pathname += `${bucket}/`
    return base
  }
  const place = base.href.replace('://', `://${bucket}.`)
  if (URL.canParse(place)) return new URL(place)
  throw new TypeError('"style" expected path, because the host of "endpoint" is an IP address')
}

function checkNameAndKeys({ bucket, accessKeyId, secretAccessKey }: S3Options): void {
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new RangeError(
      `"bucket" expected 3 to 63 of a-z, 0-9, "." and "-", got ${JSON.stringify(bucket)}`,
    )
  if (!/^[!-~]+ [!-~]+$/.test(`${accessKeyId} ${secretAccessKey}`))
    throw new TypeError(
      '"accessKeyId" and "secretAccessKey" expected printable ASCII without spaces',
    )
}

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const zipped = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(zipped).arrayBuffer())
}

function areEqual(there: Uint8Array | null, bytes: Uint8Array): boolean {
  if (there?.length !== bytes.length) return false
  return there.every((byte, i) => byte === bytes[i])
}

/** What a read or a write rejects with: a refusal if that is what came. */
function s3ErrorOf(what: string, error: unknown): Error {
  const failed = errorOf(what, error)
  if (!(error instanceof BucketRefusal)) return failed
  return new BucketRefusal(failed.message, { cause: error })
}

/** The credentials, and how to ask. */
interface S3Account extends Required<HttpOptions>, Signer {}

interface S3Request {
  readonly url: string
  /** The gzipped file to write; null to read a file. */
  readonly body: Uint8Array<ArrayBuffer> | null
  /** The most bytes of the file to read; null to write one. */
  readonly limit: number | null
}

/**
 * Reads a file, or writes one that is not there yet. Follows no redirect. Rejects when the service
 * cannot be reached, or refuses as `readAnswer` says.
 */
async function askS3(request: S3Request, account: S3Account): Promise<S3Answer> {
  const { url, body, limit } = request
  const { fetch, timeoutMs, dialect, region } = account
  const signal = AbortSignal.timeout(timeoutMs)
  const method = body === null ? 'GET' : 'PUT'
  const asked = { method, url: new URL(url), headers: headersOf(request, dialect), body } as const
  const headers = signedHeaders(asked, account)
  const response = await fetch(url, { method, headers, body, redirect: 'manual', signal })
  return readAnswer(response, { limit, region }, signal)
}

function headersOf({ url, body }: S3Request, { createOnly }: Dialect): Record<string, string> {
  if (body === null) return {}
  const [name, value] = createOnly
  return { 'content-encoding': 'gzip', 'content-type': mediaType(url), [name]: value }
}
