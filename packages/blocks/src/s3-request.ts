import { mediaType } from './bucket.ts'
import type { HttpOptions } from './http-bucket.ts'
import { readAnswer, type S3Answer } from './s3-answer.ts'
import { type Dialect, type Signer, signedHeaders } from './s3-signature.ts'

/** The credentials, and how to ask. */
export interface S3Account extends Required<HttpOptions>, Signer {}

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
export async function askS3(request: S3Request, account: S3Account): Promise<S3Answer> {
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
