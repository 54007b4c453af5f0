import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** The names in a request that differ between services. */
export interface Dialect {
  /** Prefix of the algorithm and of the secret: `AWS4`. */
  readonly prefix: string
  /** Prefix of the service's own headers: `x-amz-`. */
  readonly headers: string
  /** End of the credential scope: `s3/aws4_request`. */
  readonly scope: string
  /** Header that makes a write fail if the file exists. */
  readonly createOnly: readonly [name: string, value: string]
}

/** The dialect of Amazon's S3 and of services compatible with it. */
export const AMAZON: Dialect = {
  prefix: 'AWS4',
  headers: 'x-amz-',
  scope: 's3/aws4_request',
  createOnly: ['if-none-match', '*'],
}

/** A request to sign: a URL without a query, and header names in lower case. */
interface UnsignedRequest {
  readonly method: 'GET' | 'PUT'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
}

/** A key of a service, and how to sign with it. */
export interface Signer {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  readonly dialect: Dialect
  /** Returns the time for signatures, in milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Returns the request's headers with a Signature Version 4 over all headers, the host and the body.
 * Signs the path verbatim: a bucket's paths need no escapes.
 *
 * Source: "Signature Version 4" of Amazon's API reference of S3, and "Signatures" of Google Cloud
 * Storage, which differ only in the dialect.
 */
export function signHeaders(request: UnsignedRequest, signer: Signer): Record<string, string> {
  const { method, url, body } = request
  const { accessKeyId, secretAccessKey, region, dialect, now } = signer
  const time = formatTime(now())
  const digest = hashHex(body ?? new Uint8Array())
  const { headers: own, prefix } = dialect
  const headers = { ...request.headers, [`${own}content-sha256`]: digest, [`${own}date`]: time }
  const lines = Object.entries({ ...headers, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = lines.map(([name]) => name).join(';')
  const fields = lines.map((line) => `${line.join(':')}\n`).join('')
  const canonical = [method, url.pathname, '', fields, names, digest].join('\n')

  const scope = [time.slice(0, 8), region, ...dialect.scope.split('/')]
  const algorithm = `${prefix}-HMAC-SHA256`
  const text = [algorithm, time, scope.join('/'), hashHex(utf8ToBytes(canonical))].join('\n')
  const key = scope.reduce(computeMac, utf8ToBytes(`${prefix}${secretAccessKey}`))
  const credential = `${accessKeyId}/${scope.join('/')}`
  const signature = bytesToHex(computeMac(key, text))
  const parts = `Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`
  return { ...headers, authorization: `${algorithm} ${parts}` }
}

/** Returns a time such as `20261123T201500Z`. */
function formatTime(ms: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: formats a time, reads no clock
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')
}

const hashHex = (bytes: Uint8Array): string => bytesToHex(sha256(bytes))

const computeMac = (key: Uint8Array, text: string): Uint8Array =>
  hmac(sha256, key, utf8ToBytes(text))
