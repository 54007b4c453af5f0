import { readBody } from './http-bucket.ts'

/**
 * What a bucket in S3 rejects with where trying again would give the same: the service refuses, or
 * the file is there with other bytes. The failures of the network, and of a service that is down
 * or busy, are other errors.
 */
export class BucketRefusal extends Error {}

/** What a service said of a file. */
export interface S3Answer {
  /** 200; 404, or whatever came with the code NoSuchKey, for no file; or 412 for one in the way. */
  readonly status: number
  /** The file's; null for no file, or for more bytes than the limit. */
  readonly bytes: Uint8Array | null
}

/** In bytes: of an answer that brings no file. */
export const MESSAGE_LIMIT = 65_536

const ADVICE_BY_CODE = new Map([
  ['NoSuchBucket', 'make the bucket, or mend its name'],
  ['RequestTimeTooSkewed', 'set the clock of this machine'],
])

const ADVICE_BY_STATUS = new Map([
  [403, 'mend the keys, or let them read, list and write the bucket'],
  [501, 'take a service with conditional writes (If-None-Match)'],
])

/** What an answer is read by. */
interface Expected {
  /** The most bytes of a file. */
  readonly limit: number
  /** For which the request was signed. */
  readonly region: string
}

/**
 * Reads the service's answer.
 * @throws Error for any status but those of an answer, with what to do about it: a `BucketRefusal`
 *   unless it may pass.
 */
export async function readAnswer(
  response: Response,
  { limit, region }: Expected,
  signal: AbortSignal,
): Promise<S3Answer> {
  if (response.ok) return { status: 200, bytes: await readBody(response, limit, signal) }
  const { status } = response
  const bytes = await readBody(response, MESSAGE_LIMIT, signal)
  if (status === 412) return { status, bytes: null }
  const code = codeOf(bytes)
  if (code === 'NoSuchKey') return { status, bytes: null }
  const advice = isOfRegion(status, code, bytes) ? regionAdvice(region, bytes) : undefined
  const what = `status ${status} ${code || 'without a code'}`
  const message = `${what}: ${advice ?? adviceOn(status, code)}`
  if (mayPass(status)) throw new Error(message)
  throw new BucketRefusal(message)
}

/** The code in an error's XML; empty if there is none that is safe to print. */
const codeOf = (bytes: Uint8Array | null): string =>
  /<Code>(\w{1,64})<\/Code>/.exec(textOf(bytes))?.[1] ?? ''

const textOf = (bytes: Uint8Array | null): string =>
  bytes === null ? '' : new TextDecoder().decode(bytes)

/** Does the service say that the request was signed for another region? */
function isOfRegion(status: number, code: string, bytes: Uint8Array | null): boolean {
  if (code === 'AuthorizationHeaderMalformed') return true
  return status >= 400 && /<Message>[^<]*\bregion\b/i.test(textOf(bytes))
}

/** Which region the request was signed for, and the one that the service names, if it does. */
function regionAdvice(region: string, bytes: Uint8Array | null): string {
  const [, expected] = /(?:<Region>|expecting ')([a-z0-9-]{1,32})[<']/i.exec(textOf(bytes)) ?? []
  const named = expected === undefined ? 'its own region' : `the region ${expected}`
  return `the request was signed for the region ${region}; set ${named} (S3_REGION)`
}

/** What to do about an answer. */
function adviceOn(status: number, code: string): string {
  const byCode = ADVICE_BY_CODE.get(code)
  if (byCode !== undefined) return byCode
  const isRedirect = status < 400
  if (isRedirect) return 'no redirect is followed; mend the endpoint, region or style'
  return ADVICE_BY_STATUS.get(status) ?? 'mend the endpoint, region or keys'
}

/** Is it the service's trouble, and not the request's? */
function mayPass(status: number): boolean {
  if ([408, 409, 429].includes(status)) return true
  return status >= 500 && status !== 501
}
