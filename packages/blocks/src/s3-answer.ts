import { BucketFailure } from './bucket.ts'
import { describeStatus, type FileRequest, findCode, readBody, readMessage } from './http-bucket.ts'

/** A service's response about a file. */
export interface S3Answer {
  /** 404 if the file does not exist, 412 if a write found an existing file. */
  readonly status: 200 | 404 | 412
  /**
   * The file's bytes. Null if the file does not exist or is larger than the limit, and for a write.
   */
  readonly bytes: Uint8Array | null
}

/** A request to a service. */
export interface S3Request extends FileRequest {
  /** Maximum bytes of a file; null for a write. */
  readonly limit: number | null
  /** Replaced by asterisks in the service's messages. */
  readonly accessKeyId: string
}

/**
 * Reads the service's response. A body can make a write fail in spite of its status.
 * @throws BucketFailure for any response but those of `S3Answer`; final unless it is transient.
 */
export async function readAnswer(response: Response, request: S3Request): Promise<S3Answer> {
  const { ok, status } = response
  const { limit, accessKeyId, signal, action } = request
  if (ok && limit !== null) return { status: 200, bytes: await readBody(response, limit, signal) }
  const text = (await readMessage(response, signal)).replaceAll(accessKeyId, '****')
  const code = findCode(text)
  if (ok && code === '') return { status: 200, bytes: null }
  if (status === 412 || code === 'PreconditionFailed') return { status: 412, bytes: null }
  if (code === 'NoSuchKey') return { status: 404, bytes: null }
  const isFinal = !isTransient(status, code)
  const reason = describeStatus(status, text)
  throw new BucketFailure(action, { code: 'status', status, reason, isFinal })
}

/**
 * Codes, and statuses below 500, of transient failures. The same request may succeed later: the
 * service is busy, another request for the file is in progress, or this one arrived late,
 * incomplete or altered. Codes come first, because services send one code with several statuses:
 * RequestTimeout with 400, 408 or 503, SlowDown with 429 or 503.
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
