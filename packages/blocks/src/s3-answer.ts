import { readBody } from './http-bucket.ts'

/**
 * What a bucket in S3 rejects with where trying again would give the same: the service refuses, or
 * the file is there with other bytes. The failures of the network, and of a service that is down
 * or busy, are other errors.
 */
export class BucketRefusal extends Error {}

/** What a service said of a file. */
export interface S3Answer {
  /** 404 for no file, 412 for one in the way. */
  readonly status: 200 | 404 | 412
  /** The file's; null for no file, for more bytes than the limit, or for a write. */
  readonly bytes: Uint8Array | null
}

/** In bytes: of an answer that brings no file. */
const MESSAGE_LIMIT = 65_536

/** What an answer is read by. */
interface Expected {
  /** The most bytes of a file; null if the answer is to a write. */
  readonly limit: number | null
  /** For which the request was signed. */
  readonly region: string
}

/**
 * Reads the service's answer. One to a write may be an error in spite of its status, by its body.
 * @throws Error for any answer but those of `S3Answer`, by its status and code: a `BucketRefusal`
 *   unless it may pass.
 */
export async function readAnswer(
  response: Response,
  { limit, region }: Expected,
  signal: AbortSignal,
): Promise<S3Answer> {
  const { ok, status } = response
  if (ok && limit !== null) return { status: 200, bytes: await readBody(response, limit, signal) }
  const bytes = await readBody(response, MESSAGE_LIMIT, signal)
  const text = new TextDecoder().decode(bytes ?? undefined)
  const code = codeOf(text)
  if (ok && code === '') return { status: 200, bytes: null }
  if (status === 412 || code === 'PreconditionFailed') return { status: 412, bytes: null }
  if (code === 'NoSuchKey') return { status: 404, bytes: null }
  const what = `status ${status} ${code || 'without a code'}`
  if (mayPass(status, code)) throw new Error(what)
  throw new BucketRefusal(isOfRegion(code, text) ? `${what}: ${regionAdvice(region, text)}` : what)
}

/** The code in an error's XML; empty if there is none that is safe to print. */
const codeOf = (text: string): string => /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? ''

/** Does the service say that the request was signed for another region? */
function isOfRegion(code: string, text: string): boolean {
  if (code === 'AuthorizationHeaderMalformed') return true
  return /<Message>[^<]*\bregion\b/i.test(text)
}

/** Which region the request was signed for, and the one that the service names, if it does. */
function regionAdvice(region: string, text: string): string {
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
const LASTING = [501, 507]

/** A success with a code in it is one of the service's own troubles, as statuses from 500 on. */
function mayPass(status: number, code: string): boolean {
  if (PASSING.includes(code) || PASSING.includes(`${status}`)) return true
  return status < 300 || (status >= 500 && !LASTING.includes(status))
}
