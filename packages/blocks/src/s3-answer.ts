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

/**
 * Reads the service's answer, of a file at most `limit` bytes.
 * @throws Error for any status but those of an answer, with what to do about it: a `BucketRefusal`
 *   unless it may pass.
 */
export async function readAnswer(
  response: Response,
  limit: number,
  signal: AbortSignal,
): Promise<S3Answer> {
  if (response.ok) return { status: 200, bytes: await readBody(response, limit, signal) }
  const { status } = response
  const bytes = await readBody(response, MESSAGE_LIMIT, signal)
  if (status === 412) return { status, bytes: null }
  const code = codeOf(bytes)
  if (code === 'NoSuchKey') return { status, bytes: null }
  const message = `status ${status} ${code || 'without a code'}: ${adviceOn(status, code)}`
  if (mayPass(status)) throw new Error(message)
  throw new BucketRefusal(message)
}

/** The code in an error's XML; empty if there is none that is safe to print. */
function codeOf(bytes: Uint8Array | null): string {
  if (bytes === null) return ''
  const found = /<Code>(\w{1,64})<\/Code>/.exec(new TextDecoder().decode(bytes))
  return found?.[1] ?? ''
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
