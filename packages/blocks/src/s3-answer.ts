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
 * @throws Error for any answer but those of `S3Answer`, with what to do about it: a `BucketRefusal`
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
  const code = codeOf(bytes)
  if (ok && code === '') return { status: 200, bytes: null }
  if (status === 412 || code === 'PreconditionFailed') return { status: 412, bytes: null }
  if (code === 'NoSuchKey') return { status: 404, bytes: null }
  const advice = adviceFor(status, code)
  const what = `status ${status} ${code || 'without a code'}`
  if (advice in PASSING) throw new Error(`${what}: ${advice}`)
  const message = isOfRegion(code, bytes) ? regionAdvice(region, bytes) : advice
  throw new BucketRefusal(`${what}: ${message}`)
}

/** The code in an error's XML; empty if there is none that is safe to print. */
const codeOf = (bytes: Uint8Array | null): string =>
  /<Code>(\w{1,64})<\/Code>/.exec(textOf(bytes))?.[1] ?? ''

const textOf = (bytes: Uint8Array | null): string =>
  bytes === null ? '' : new TextDecoder().decode(bytes)

/** Does the service say that the request was signed for another region? */
function isOfRegion(code: string, bytes: Uint8Array | null): boolean {
  if (code === 'AuthorizationHeaderMalformed') return true
  return /<Message>[^<]*\bregion\b/i.test(textOf(bytes))
}

/** Which region the request was signed for, and the one that the service names, if it does. */
function regionAdvice(region: string, bytes: Uint8Array | null): string {
  const [, expected] = /(?:<Region>|expecting ')([a-z0-9-]{1,32})[<']/i.exec(textOf(bytes)) ?? []
  const named = expected === undefined ? 'its own region' : `the region ${expected}`
  return `the request was signed for the region ${region}; set ${named} (S3_REGION)`
}

/** Advice, and the codes of answers that it is for; their statuses, if the code is in no row. */
type Advice = Readonly<Record<string, string>>

const TROUBLE = 'wait; if the service stays in trouble, look at its status page or its log'

/**
 * For failures after which the same request may succeed a little later. By code, since services
 * give one code with several statuses: RequestTimeout comes with 400, 408 or 503, SlowDown with 429
 * or 503.
 *
 * Sources: "Error responses" of Amazon S3's API reference; "Error codes" of Cloudflare R2; "HTTP
 * status and error codes for XML" of Google Cloud Storage; MinIO's cmd/api-errors.go; Ceph's
 * src/rgw/rgw_common.cc; versitygw's s3err/s3err.go; for throttling, what clients try again:
 * minio-go's retry.go and aws-sdk-js-v3's service-error-classification.
 */
export const PASSING: Advice = {
  [TROUBLE]: 'InternalError ServiceUnavailable UnknownError XMinioServerNotInitialized',
  'wait; if the service stays busy, ask it for a higher rate of requests':
    'SlowDown SlowDownRead SlowDownWrite TooManyRequests Throttling ThrottlingException ' +
    'RequestThrottled RequestLimitExceeded 429',
  'wait; another request for the same file is under way':
    'OperationAborted ConditionalRequestConflict 409',
  'look at the network between here and the service: the request came late, cut or altered':
    'RequestTimeout IncompleteBody ClientDisconnect BadDigest XAmzContentSHA256Mismatch 408',
}

/** For failures that last. */
export const LASTING: Advice = {
  'make room in the service, or raise its quota':
    'QuotaExceeded XMinioAdminBucketQuotaExceeded XMinioStorageFull 507',
  'let the service, and a proxy before it, take files of 8 MiB': 'EntityTooLarge 413',
  'set the clock of this machine': 'RequestTimeTooSkewed ExpiredRequest',
  'mend the keys, or let them read, list and write the bucket':
    'AccessDenied InvalidAccessKeyId SignatureDoesNotMatch Unauthorized 401 403',
  'look at your account with the service: it is suspended, unpaid or lacks this service':
    'AccountProblem AllAccessDisabled InvalidPayer NotEntitled NotSignedUp ' +
    'UserProjectAccountProblem UserSuspended 402',
  'make the bucket, or mend its name': 'NoSuchBucket InvalidBucketName',
  'no redirect is followed; mend the endpoint, region or style':
    'PermanentRedirect TemporaryRedirect 301 302 303 307 308',
  'take a service with conditional writes (If-None-Match)': 'NotImplemented 501',
}

/**
 * The advice by a failure's code, else by its status. A success with a code in it is one of the
 * service's own troubles, as other statuses from 500 on.
 */
function adviceFor(status: number, code: string): string {
  const all = Object.entries({ ...PASSING, ...LASTING })
  const rowOf = (answer: string) => all.find(([, answers]) => answers.split(' ').includes(answer))
  const [known] = rowOf(code) ?? rowOf(`${status}`) ?? []
  if (known !== undefined) return known
  return status < 300 || status >= 500 ? TROUBLE : 'mend the endpoint, region or keys'
}
