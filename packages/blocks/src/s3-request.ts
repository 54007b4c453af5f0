import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { AwsV4Signer } from 'aws4fetch'
import { mediaType } from './bucket.ts'
import type { HttpOptions } from './http-bucket.ts'
import { readAnswer, type S3Answer } from './s3-answer.ts'

/** Who asks, and how. */
export interface S3Account extends Required<HttpOptions> {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

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
  const { fetch, timeoutMs } = account
  const signal = AbortSignal.timeout(timeoutMs)
  const signed = await sign(request, account)
  const response = await fetch(url, { ...signed, body, redirect: 'manual', signal })
  return readAnswer(response, limit, signal)
}

/** The request's method, and its headers under AWS's Signature Version 4. */
async function sign({ url, body }: S3Request, account: S3Account) {
  const { accessKeyId, secretAccessKey, region } = account
  const signer = new AwsV4Signer({
    method: body === null ? 'GET' : 'PUT',
    url,
    headers: headersOf(url, body),
    body,
    accessKeyId,
    secretAccessKey,
    region,
    service: 's3',
  })
  const { method, headers } = await signer.sign()
  return { method, headers }
}

function headersOf(url: string, body: Uint8Array | null): Record<string, string> {
  if (body === null) return { 'x-amz-content-sha256': bytesToHex(sha256(new Uint8Array())) }
  return {
    'x-amz-content-sha256': bytesToHex(sha256(body)),
    'content-encoding': 'gzip',
    'content-type': mediaType(url),
    'if-none-match': '*',
  }
}
