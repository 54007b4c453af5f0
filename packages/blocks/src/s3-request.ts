import { mediaType } from './bucket.ts'
import type { HttpOptions } from './http-bucket.ts'
import { readAnswer, type S3Answer } from './s3-answer.ts'
import { type Dialect, type Signer, signedHeaders } from './s3-signature.ts'

/** The credentials, and how to ask. */
export interface S3Account extends Required<HttpOptions>, Signer {}

interface S3Request {
  readonly url: string
  /** The gzipped file to put where there is none; null to get the one that is there. */
  readonly body: Uint8Array<ArrayBuffer> | null
  /** In bytes, of the answer. */
  readonly limit: number
}

/** Gets a file, or puts one where there is none. Follows no redirect; rejects as `readAnswer`. */
export async function askS3(request: S3Request, account: S3Account): Promise<S3Answer> {
  const { url, body, limit } = request
  const { fetch, timeoutMs, dialect } = account
  const signal = AbortSignal.timeout(timeoutMs)
  const method = body === null ? 'GET' : 'PUT'
  const asked = { method, url: new URL(url), headers: headersOf(request, dialect), body } as const
  const headers = signedHeaders(asked, account)
  const response = await fetch(url, { method, headers, body, redirect: 'manual', signal })
  return readAnswer(response, limit, signal)
}

function headersOf({ url, body }: S3Request, { createOnly }: Dialect): Record<string, string> {
  if (body === null) return {}
  const [name, value] = createOnly
  return { 'content-encoding': 'gzip', 'content-type': mediaType(url), [name]: value }
}
