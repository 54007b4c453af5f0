import { md5 } from '@noble/hashes/legacy.js'
import { base64 } from '@scure/base'
import {
  type Bucket,
  BucketFailure,
  type BucketFailureFacts,
  checkPath,
  isBucketUrl,
  mediaType,
} from './bucket.ts'
import { createTooLarge, type HttpOptions, toFailure, toFolderUrl } from './http-bucket.ts'
import { readAnswer, type S3Answer, type S3Request } from './s3-answer.ts'
import { AMAZON, type Dialect, type Signer, signHeaders } from './s3-signature.ts'

export { BucketFailure, type Dialect, isBucketUrl }

/** The place of a bucket, and its credentials. `timeoutMs` limits one request. */
export interface S3Options extends HttpOptions {
  /** The service's URL, without the bucket: `https://<account>.r2.cloudflarestorage.com`. */
  readonly endpoint: string | URL
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Returns the time in milliseconds since 1970, with which requests are signed. */
  readonly now: () => number
  /** Default: `auto`, which is R2's region. */
  readonly region?: string
  /** Whether URLs have the bucket's name in the path or in the host. Default: `path`. */
  readonly style?: 'path' | 'virtual'
  /** Default: Amazon's, which nearly all services accept. */
  readonly dialect?: Dialect
}

/**
 * Returns a bucket in a service with S3's API that honours the dialect's condition (Amazon's:
 * `If-None-Match: *`), which prevents overwriting. Files are compressed with gzip in transit and in
 * storage; readers get the original bytes. A write ends with reading the file back. Does not retry:
 * a failure with `isFinal` would recur. A write may be repeated, also after its response was lost.
 * Follows no redirect. No error contains a key. Protocol §6.4.
 * @throws TypeError unless `endpoint` is an http or https URL, whose host is a name if `style` is
 *   virtual, and the keys are printable ASCII; RangeError for a bucket name that S3 does not allow.
 */
export function s3Bucket(options: S3Options): Bucket {
  checkNameAndKeys(options)
  const base = buildUrl(options)
  const urlOf = (path: string): string => new URL(checkPath(path), base).href
  const { region = 'auto', dialect = AMAZON, timeoutMs = 30_000, ...given } = options
  const account: S3Account = { ...given, region, dialect }
  const { accessKeyId } = account

  const requestTo = (verb: 'read' | 'write', url: string) => ({
    action: `${verb} ${url}`,
    signal: AbortSignal.timeout(timeoutMs),
    url,
    accessKeyId,
  })

  async function read(path: string, limit: number): Promise<Uint8Array | null> {
    const request = { ...requestTo('read', urlOf(path)), body: null, limit }
    const { status, bytes } = await sendS3(request, account)
    if (status === 200 && bytes === null) throw createTooLarge(request, limit)
    if (status !== 412) return bytes
    const reason = 'status 412, though a read has no condition'
    throw new BucketFailure(request.action, { code: 'status', status, reason, isFinal: true })
  }

  /**
   * Writes a file and reads it back once: some services confirm writes that they lose, and the
   * chain soon promises this file. Reads with the key, because a cache at the public address may
   * still answer that there is no file.
   */
  async function write(path: string, bytes: Uint8Array): Promise<void> {
    const url = urlOf(path)
    // The caller may change its buffer before the write ends.
    const own = bytes.slice()
    const request = { ...requestTo('write', url), body: await gzip(own), limit: null }
    const { status } = await sendS3(request, account)
    // A file that is there may be another writer's, or ours from an attempt whose response was
    // lost.
    const reading = { ...requestTo('write', url), body: null, limit: own.length }
    const stored = await sendS3(reading, account)
    if (stored.status === 200 && areEqual(stored.bytes, own)) return
    throw new BucketFailure(request.action, explainWrite(status, stored))
  }
  return { read, write }
}

/** Returns the reason why a file is not there after a write with this status. */
function explainWrite(status: number, stored: S3Answer): BucketFailureFacts {
  if (stored.status !== 200)
    return { code: 'lost', status, reason: `no file exists after the response ${status}` }
  if (status === 200) {
    const reason = 'the service returns other content than was written'
    return { code: 'lost', status, reason, isFinal: true }
  }
  return { code: 'conflict', status, reason: 'the file exists with other content', isFinal: true }
}

/** Returns the URL of the bucket's folder. */
function buildUrl({ endpoint, bucket, style }: S3Options): URL {
  const base = toFolderUrl(endpoint, 'endpoint')
  if (style !== 'virtual') {
    base.pathname += `${bucket}/`
    return base
  }
  const place = base.href.replace('://', `://${bucket}.`)
  if (URL.canParse(place)) return new URL(place)
  throw new TypeError('"style" expected path, because the host of "endpoint" is an IP address')
}

export const BUCKET_NAME_EXPECTED = '3 to 63 of a-z, 0-9, "." and "-"'

/** Reports whether a bucket can have this name, by the rules of S3 and Google Cloud Storage. */
export const isBucketName = (name: string): boolean =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)

function checkNameAndKeys({ bucket, accessKeyId, secretAccessKey }: S3Options): void {
  if (!isBucketName(bucket))
    throw new RangeError(`"bucket" expected ${BUCKET_NAME_EXPECTED}, got ${JSON.stringify(bucket)}`)
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

/** The credentials, and the fetch that sends requests. */
interface S3Account extends Pick<HttpOptions, 'fetch'>, Signer {}

interface FileTransfer extends S3Request {
  readonly url: string
  /** The gzipped file to write; null for a read. */
  readonly body: Uint8Array<ArrayBuffer> | null
}

/**
 * Reads a file, or writes one that does not exist yet. Follows no redirect.
 * @throws BucketFailure if the service is unreachable, or if `readAnswer` rejects the response.
 */
async function sendS3(transfer: FileTransfer, account: S3Account): Promise<S3Answer> {
  const { url, body, signal } = transfer
  const { fetch, dialect } = account
  const method = body === null ? 'GET' : 'PUT'
  const unsigned = {
    method,
    url: new URL(url),
    headers: toHeaders(transfer, dialect),
    body,
  } as const
  const headers = signHeaders(unsigned, account)
  const response = await fetch(url, { method, headers, body, redirect: 'manual', signal }).catch(
    (error) => {
      throw toFailure(transfer, 'connection', error)
    },
  )
  return readAnswer(response, transfer).catch((error) => {
    throw toFailure(transfer, 'body', error)
  })
}

function toHeaders({ url, body }: FileTransfer, { createOnly }: Dialect): Record<string, string> {
  if (body === null) return {}
  const [name, value] = createOnly
  return {
    'content-encoding': 'gzip',
    // Buckets with Object Lock reject a write without a checksum. All services know this one.
    'content-md5': base64.encode(md5(body)),
    'content-type': mediaType(url),
    [name]: value,
  }
}
