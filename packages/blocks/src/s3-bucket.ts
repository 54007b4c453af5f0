import { md5 } from '@noble/hashes/legacy.js'
import { base64 } from '@scure/base'
import {
  areSameBytes,
  type Bucket,
  BucketFailure,
  type BucketFailureFacts,
  checkPath,
  isBucketUrl,
  mediaType,
} from './bucket.ts'
import {
  createTooLarge,
  describeStatus,
  type FileRequest,
  findCode,
  type HttpOptions,
  readBody,
  readMessage,
  requestFile,
  toFolderUrl,
} from './http-bucket.ts'
import { AMAZON, type Dialect, type Signer, signHeaders } from './s3-signature.ts'

export { BucketFailure, type Dialect, isBucketUrl }

/**
 * The place of a bucket, and its credentials. `timeoutMs` limits one request. Defaults: the region
 * `auto`, which is R2's, and Amazon's dialect, which nearly all services accept.
 */
export interface S3Options
  extends HttpOptions,
    Omit<Signer, 'region' | 'dialect'>,
    Partial<Pick<Signer, 'region' | 'dialect'>> {
  /** The service's URL, without the bucket: `https://<account>.r2.cloudflarestorage.com`. */
  readonly endpoint: string | URL
  readonly bucket: string
  /** Whether URLs have the bucket's name in the path or in the host. Default: `path`. */
  readonly style?: 'path' | 'virtual'
}

/**
 * Returns a bucket in a service with S3's API that honours the dialect's condition (Amazon's:
 * `If-None-Match: *`), which prevents overwriting. Files are compressed with gzip in transit and in
 * storage; readers get the original bytes. A write ends with reading the file back. Does not retry.
 * Follows no redirect. No error contains a key. Protocol §6.4.
 * @throws TypeError unless `endpoint` is an http or https URL, whose host is a name if `style` is
 *   virtual, and the keys are printable ASCII; RangeError for a bucket name that S3 does not allow.
 */
export function s3Bucket(options: S3Options): Bucket {
  checkNameAndKeys(options)
  const base = buildUrl(options)
  const { region = 'auto', dialect = AMAZON, timeoutMs = 30_000, ...given } = options
  const signer: Signer = { ...given, region, dialect }

  const transferOf = (verb: 'read' | 'write', path: string, limit: number): FileTransfer => {
    const { href } = new URL(checkPath(path), base)
    const signal = AbortSignal.timeout(timeoutMs)
    return { action: `${verb} ${href}`, url: href, signal, fetch: given.fetch, body: null, limit }
  }

  async function read(path: string, limit: number): Promise<Uint8Array | null> {
    const transfer = transferOf('read', path, limit)
    const { status, bytes } = await sendS3(transfer, signer)
    if (status === 200 && bytes === null) throw createTooLarge(transfer, limit)
    return bytes
  }

  /**
   * Writes a file and reads it back, since some services confirm writes that they lose. Reads with
   * the key, because a cache at the public address may still report that the file does not exist.
   */
  async function write(path: string, bytes: Uint8Array): Promise<void> {
    // The caller may change its buffer before the write ends.
    const own = bytes.slice()
    const body = await gzip(own)
    const { status } = await sendS3({ ...transferOf('write', path, 0), body }, signer)
    // An existing file may be this writer's, from an attempt whose response was lost.
    const reading = transferOf('write', path, own.length)
    const stored = await sendS3(reading, signer)
    if (stored.bytes && areSameBytes(stored.bytes, own)) return
    throw new BucketFailure(reading.action, explainWrite(status, stored))
  }
  return { read, write }
}

/**
 * Returns the facts of a failed write with the response `status`. `stored` is the service's answer
 * to the read afterwards.
 */
function explainWrite(status: number, stored: S3Answer): BucketFailureFacts {
  if (stored.status !== 200)
    return { code: 'lost', status, reason: `no file exists after the response ${status}` }
  if (status === 200) {
    const reason = 'the service returns other content than was written'
    return { code: 'lost', status, reason, isFinal: true }
  }
  return { code: 'conflict', status, reason: 'the file exists with other content', isFinal: true }
}

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

export const BUCKET_NAME_EXPECTED = '3 to 63 of a-z, 0-9, "." and "-", not "." or "-" at an end'

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

interface FileTransfer extends FileRequest {
  /** Gzipped file to write; null for a read. */
  readonly body: Uint8Array<ArrayBuffer> | null
  /** Maximum bytes of a file that is read. */
  readonly limit: number
}

/** A service's response about a file. */
export interface S3Answer {
  /** 404 if the file does not exist, 412 if a write found an existing file. */
  readonly status: 200 | 404 | 412
  /** Null if the file does not exist or is larger than the limit, and for a write. */
  readonly bytes: Uint8Array | null
}

/**
 * Reads a file, or writes one that does not exist yet.
 * @throws BucketFailure as `requestFile`, and for any response that is not an `S3Answer`, then with
 *   `isFinal` unless the failure is transient.
 */
function sendS3(transfer: FileTransfer, signer: Signer): Promise<S3Answer> {
  const { url, body } = transfer
  const method = body === null ? 'GET' : 'PUT'
  const unsigned = toHeaders(transfer, signer.dialect)
  const headers = signHeaders({ method, url: new URL(url), headers: unsigned, body }, signer)
  return requestFile(transfer, { method, headers, body }, (response) =>
    readAnswer(response, transfer, signer),
  )
}

/** Reads the service's response. The body of a successful write may contain an error. */
async function readAnswer(
  response: Response,
  { action, signal, body, limit }: FileTransfer,
  { accessKeyId }: Signer,
): Promise<S3Answer> {
  const { ok, status } = response
  if (ok && body === null) return { status: 200, bytes: await readBody(response, limit, signal) }
  const text = (await readMessage(response, signal)).replaceAll(accessKeyId, '****')
  const code = findCode(text)
  if (ok && code === '') return { status: 200, bytes: null }
  const isConflict = status === 412 || code === 'PreconditionFailed'
  if (isConflict && body !== null) return { status: 412, bytes: null }
  if (code === 'NoSuchKey') return { status: 404, bytes: null }
  const isFinal = !isTransient(status, code)
  const reason = describeStatus(status, text)
  throw new BucketFailure(action, { code: 'status', status, reason, isFinal })
}

function toHeaders({ url, body }: FileTransfer, { createOnly }: Dialect): Record<string, string> {
  if (body === null) return {}
  const [name, value] = createOnly
  return {
    'content-encoding': 'gzip',
    // Buckets with Object Lock reject a write without a checksum. All services accept MD5.
    'content-md5': base64.encode(md5(body)),
    'content-type': mediaType(url),
    [name]: value,
  }
}

/**
 * Codes, and statuses below 500, of transient failures: the service is busy, another request for
 * the file is in progress, or the request arrived late, incomplete or altered. A listed code counts
 * with any status, because services send one code with several statuses.
 *
 * Sources: "Error responses" of Amazon S3's API reference; "Error codes" of Cloudflare R2; "HTTP
 * status and error codes for XML" of Google Cloud Storage; MinIO's cmd/api-errors.go; Ceph's
 * src/rgw/rgw_common.cc; versitygw's s3err/s3err.go; for throttling, the retries of clients:
 * minio-go's retry.go and aws-sdk-js-v3's service-error-classification.
 */
const TRANSIENT_CODES = (
  'SlowDown TooManyRequests Throttling ThrottlingException RequestThrottled RequestLimitExceeded ' +
  'OperationAborted ConditionalRequestConflict RequestTimeout IncompleteBody ClientDisconnect ' +
  'BadDigest XAmzContentSHA256Mismatch 408 409 429'
).split(' ')

/** Statuses of permanent failures: not implemented, and insufficient storage. */
const PERMANENT = [501, 507]

/**
 * Reports whether the same request may succeed later. A success that contains a code is an internal
 * error of the service, like statuses from 500 on.
 */
function isTransient(status: number, code: string): boolean {
  if (TRANSIENT_CODES.includes(code) || TRANSIENT_CODES.includes(`${status}`)) return true
  return status < 300 || (status >= 500 && !PERMANENT.includes(status))
}
