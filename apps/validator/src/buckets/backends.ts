import { join } from 'node:path'
import type { Bucket } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import {
  BUCKET_NAME_EXPECTED,
  BucketFailure,
  type Dialect,
  isBucketName,
  isBucketUrl,
  type S3Options,
  s3Bucket,
} from '@affine/blocks/s3'
import { NODE_HOST } from '@affine/settlement/host'
import { reader, readValues, type Table, textIn } from '@affine/terminal'
import pRetry from 'p-retry'

export interface OwnBucket {
  /** Opens the bucket of the validator `hotkey` for reading and writing. */
  readonly open: (hotkey: string) => Bucket
  /** The folder that contains all buckets. Undefined for a bucket in S3. */
  readonly folder?: string
}

/**
 * A kind of bucket, with its settings in the order in which `af setup` asks for them. Other
 * validators read a bucket of any kind at its http(s) URL or in a folder.
 */
export interface Backend {
  /** The text of this choice in `af setup`. */
  readonly label: string
  /** Whether `bucketUrl` is required. */
  readonly needsUrl: boolean
  readonly settings: Table
  /** Creates the bucket from the texts of its settings, which must be valid. */
  readonly createBucket: (given: Parameters<typeof readValues>[1]) => OwnBucket
}

export const readWord = textIn('printable ASCII without spaces', (text) => /^[!-~]+$/.test(text))

const MAX_URL_BYTES = 128
const URL_EXPECTED = 'a plain URL of at most 128 bytes'

/** Reports whether a text is an http(s) URL of only host and path that fits into a commitment. */
const isPlainUrl = (text: string) => text.length <= MAX_URL_BYTES && isBucketUrl(text, true)

export const readWebUrl = textIn(URL_EXPECTED, isPlainUrl)

const R2_ACCOUNT = /^[0-9a-f]{32}$/

/** Reads the URL of a service with S3's API. The id of an R2 account becomes R2's URL. */
const readEndpoint = reader(`${URL_EXPECTED}, or the 32 hex digits of an R2 account`, (text) => {
  const url = R2_ACCOUNT.test(text) ? `https://${text}.r2.cloudflarestorage.com` : text
  return isPlainUrl(url) ? url : undefined
})

const GOOGLES_URL = /^https?:\/\/([^/]+\.)?storage\.googleapis\.com(?=[:/]|$)/i

/**
 * Google Cloud Storage's dialect of S3. In Amazon's dialect Google ignores `If-None-Match` on
 * writes and would overwrite files. The header `createOnly` has the same purpose, but cannot be
 * combined with Amazon's headers.
 */
export const GOOGLE: Dialect = {
  prefix: 'GOOG4',
  headers: 'x-goog-',
  scope: 'storage/goog4_request',
  createOnly: ['x-goog-if-generation-match', '0'],
}

/** Reads whether URLs contain the bucket's name in the path or in the host name. */
const readStyle = reader('path or virtual', (text) =>
  (['path', 'virtual'] as const).find((style) => style === text),
)

const S3_SETTINGS = {
  s3Endpoint: {
    option: '--s3-endpoint <url>',
    variables: ['S3_ENDPOINT', 'R2_ACCOUNT_ID'],
    read: readEndpoint,
    needed: true,
    help: "the service's URL without the bucket, or the 32 hex digits of an R2 account",
    secret: 'in its URL',
  },
  s3Bucket: {
    option: '--s3-bucket <name>',
    variables: ['S3_BUCKET', 'R2_BUCKET_ID'],
    read: textIn(BUCKET_NAME_EXPECTED, isBucketName),
    needed: true,
    help: "the bucket's name in S3",
  },
  s3AccessKeyId: {
    variables: ['S3_ACCESS_KEY_ID', 'R2_WRITE_ACCESS_KEY_ID'],
    read: readWord,
    needed: true,
    help: 'the id of a key that may read, list and write the bucket',
    secret: 'all',
  },
  s3SecretAccessKey: {
    variables: ['S3_SECRET_ACCESS_KEY', 'R2_WRITE_SECRET_ACCESS_KEY'],
    read: readWord,
    needed: true,
    help: "that key's secret",
    secret: 'all',
  },
  s3Region: {
    variables: ['S3_REGION'],
    read: readWord,
    default: 'auto',
    proposed: 'auto',
    help: "the bucket's region; auto for R2",
  },
  s3Style: {
    variables: ['S3_STYLE'],
    read: readStyle,
    default: 'path',
    help: 'where URLs contain the name of the bucket: path, or virtual (in the host)',
  },
} satisfies Table

/**
 * A bucket in Amazon S3, Cloudflare R2, Google Cloud Storage, or a service with S3's API that
 * honours If-None-Match.
 */
const S3: Backend = {
  label: "in Cloudflare R2, Google Cloud Storage, or another service with S3's API",
  needsUrl: true,
  settings: S3_SETTINGS,
  createBucket: (given) => {
    const values = readValues(S3_SETTINGS, given)
    const bucket = createServiceBucket({
      endpoint: values.s3Endpoint,
      bucket: values.s3Bucket,
      accessKeyId: values.s3AccessKeyId,
      secretAccessKey: values.s3SecretAccessKey,
      region: values.s3Region,
      style: values.s3Style,
      ...(GOOGLES_URL.test(values.s3Endpoint) && { dialect: GOOGLE }),
    })
    return { open: () => bucket }
  },
}

/**
 * Opens a bucket of a service with S3's API. Unless the failure is final, a failed write is retried
 * up to 5 times within 30 seconds: after 250 ms, then after twice as long each time.
 */
function createServiceBucket(options: Omit<S3Options, 'now' | 'fetch'>): Bucket {
  const { now, fetch } = NODE_HOST
  const bucket = s3Bucket({ ...options, now, fetch })
  const retrying = {
    retries: 5,
    minTimeout: 250,
    maxRetryTime: 30_000,
    shouldRetry: ({ error }: { readonly error: Error }) =>
      error instanceof BucketFailure && !error.isFinal,
  }
  return { ...bucket, write: (...file) => pRetry(() => bucket.write(...file), retrying) }
}

const DIRECTORY_SETTINGS = {
  buckets: {
    option: '--buckets <folder>',
    variables: ['AFFINE_BUCKETS'],
    read: textIn('a folder', (path) => !/^https?:/.test(path)),
    kind: 'path',
    needed: true,
    help: "the folder of buckets; the bucket is the folder in it with the hotkey's name",
    proposed: 'buckets',
  },
} satisfies Table

/** A bucket on this machine: the folder with the name of the hotkey, in the folder `buckets`. */
const DIRECTORY: Backend = {
  label: 'in a folder here that a web server serves',
  needsUrl: false,
  settings: DIRECTORY_SETTINGS,
  createBucket: (given) => createFolderBucket(readValues(DIRECTORY_SETTINGS, given).buckets),
}

export function createFolderBucket(folder: string): OwnBucket {
  return { folder, open: (hotkey) => directoryBucket(join(folder, hotkey)) }
}

/** The kinds of buckets, in the order of `af setup`. */
export const BACKENDS: readonly Backend[] = [S3, DIRECTORY]

/** Returns the kind of bucket with this setting, or undefined for a setting of all kinds. */
export function findBackend({ name }: { readonly name: string }): Backend | undefined {
  return BACKENDS.find(({ settings }) => Object.hasOwn(settings, name))
}

/** Returns the kinds of buckets of which at least one required setting has a value in `given`. */
export function pickBackends(given: Readonly<Record<string, unknown>>): readonly Backend[] {
  return BACKENDS.filter(({ settings }) =>
    Object.entries(settings).some(([name, { needed }]) => needed && given[name] !== undefined),
  )
}
