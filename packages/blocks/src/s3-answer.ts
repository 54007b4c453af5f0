import { BucketFailure } from './bucket.ts'
import { findCode, type FileRequest, readBody, readMessage, describeStatus } from './http-bucket.ts'

/** What a service said of a file. */
export interface S3Answer {
  /** 404 for no file, 412 for one in the way. */
  readonly status: 200 | 404 | 412
  /** The file's; null for no file, for more bytes than the limit, or for a write. */
  readonly bytes: Uint8Array | null
}

/** A request to a service. */
export interface S3Request extends FileRequest {
  /** The most bytes of a file; null if the answer is to a write. */
  readonly limit: number | null
  /** For which the request was signed. */
  readonly region: string
  /** Masked in what the service says. */
  readonly accessKeyId: string
}

/**
 * Reads the service's answer. One to a write may be an error in spite of its status, by its body.
 * @throws BucketFailure for any answer but those of `S3Answer`, final unless it may pass.
 */
export async function readAnswer(response: Response, request: S3Request): Promise<S3Answer> {
  const { ok, status } = response
  const { limit, region, accessKeyId, signal, action } = request
  if (ok && limit !== null) return { status: 200, bytes: await readBody(response, limit, signal) }
  const text = (await readMessage(response, signal)).replaceAll(accessKeyId, '****')
  const code = findCode(text)
  if (ok && code === '') return { status: 200, bytes: null }
  if (status === 412 || code === 'PreconditionFailed') return { status: 412, bytes: null }
  if (code === 'NoSuchKey') return { status: 404, bytes: null }
  const isFinal = !isTransient(status, code)
  const advice = isFinal && isRegionFailure(code, text) ? `: ${adviseRegion(region, text)}` : ''
  const reason = `${describeStatus(status, text)}${advice}`
  throw new BucketFailure(action, { code: 'status', status, reason, isFinal })
}

/** Does the service say that the request was signed for another region? */
function isRegionFailure(code: string, text: string): boolean {
  if (code === 'AuthorizationHeaderMalformed') return true
  return /<Message>[^<]*\bregion\b/i.test(text)
}

/** Which region the request was signed for, and the one that the service names, if it does. */
function adviseRegion(region: string, text: string): string {
  const [, expected] = /(?:<Region>|expecting ')([a-z0-9-]{1,32})[<']/i.exec(text) ?? []
  const named = expected === undefined ? 'its own region' : `the region ${expected}`
  return `the request was signed for the region ${region}; set ${named} (S3_REGION)`
}

/**
 * Codes and statuses below 500 of failures after which the same request may succeed a little later:
 * the service is busy, another request for the same file is under way, or this one came late, cut
 * or altered. By code, since services give one code with several statuses: RequestTimeout comes
 * with 400, 408 or 503, SlowDown with 429 or 503.
 *
 * Sources: "Error responses" of Amazon S3's API reference; "Error codes" of Cloudflare R2; "HTTP
 * status and error codes for XML" of Google Cloud Storage; MinIO's cmd/api-errors.go; Ceph's
 * src/rgw/rgw_common.cc; versitygw's s3err/s3err.go; for throttling, what clients try again:
 * minio-go's retry.go and aws-sdk-js-v3's service-error-classification.
 */
export const PASSING: readonly string[] = (
  'SlowDown TooManyRequests Throttling ThrottlingException RequestThrottled RequestLimitExceeded ' +
  'OperationAborted ConditionalRequestConflict RequestTimeout IncompleteBody ClientDisconnect ' +
  'BadDigest XAmzContentSHA256Mismatch 408 409 429'
).split(' ')

/** Statuses of failures that last: not implemented, and no room. */
const PERMANENT = [501, 507]

/** A success with a code in it is one of the service's own troubles, as statuses from 500 on. */
function isTransient(status: number, code: string): boolean {
  if (PASSING.includes(code) || PASSING.includes(`${status}`)) return true
  return status < 300 || (status >= 500 && !PERMANENT.includes(status))
}
