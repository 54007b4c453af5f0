import { join } from 'node:path'
import type { Bucket } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { BucketFailure, type Dialect, type S3Options, s3Bucket } from '@affine/blocks/s3'
import { NODE_HOST } from '@affine/settlement/host'
import { type Given, InvalidValue, type Table, type Values, valuesIn } from '@affine/terminal'
import pRetry from 'p-retry'
import { bucketName, isPlainUrl, URL_EXPECTED, word } from '../settings/readers.ts'

/** A validator's own bucket, as its settings define it. */
export interface OwnBucket {
  /** Opens it for writing. */
  readonly open: (hotkey: string) => Bucket
  /** The folder that holds all buckets, if the bucket is in a folder. */
  readonly folder?: string
}

/**
 * A kind of place for a bucket, with its settings in the order in which `af setup` asks for them.
 * Others read every bucket at an http(s) URL, or in a folder.
 */
export interface Backend {
  /** Its text in `af setup`. */
  readonly label: string
  /** Must `bucketUrl` be given too? */
  readonly needsUrl: boolean
  readonly settings: Table
  /** The bucket, from texts that were checked. */
  readonly bucketFrom: (given: Given) => OwnBucket
}

/** A kind of place of which `bucketOf` gives the bucket, from the values of its settings. */
function defineBackend<Settings extends Table>(
  backend: Pick<Backend, 'label' | 'needsUrl'> & {
    readonly settings: Settings
    readonly bucketOf: (values: Values<Settings>) => OwnBucket
  },
): Backend {
  const { settings, bucketOf, ...rest } = backend
  return { ...rest, settings, bucketFrom: (given) => bucketOf(valuesIn(settings, given)) }
}

const R2_ACCOUNT = /^[0-9a-f]{32}$/

/** Reads the URL of a service with S3's API; the id of an R2 account becomes R2's URL. */
function endpoint(text: string): string {
  const url = R2_ACCOUNT.test(text) ? `https://${text}.r2.cloudflarestorage.com` : text
  if (!isPlainUrl(url))
    throw new InvalidValue(`${URL_EXPECTED}, or the 32 hex digits of an account at R2`)
  return url
}

const GOOGLES_URL = /^https?:\/\/([^/]+\.)?storage\.googleapis\.com(?=[:/]|$)/i

/**
 * How Google Cloud Storage's XML API differs from S3. With Amazon's headers it ignores
 * `If-None-Match` on writes and would overwrite files. Its own condition cannot be combined with
 * Amazon's headers.
 */
export const GOOGLE: Dialect = {
  prefix: 'GOOG4',
  headers: 'x-goog-',
  scope: 'storage/goog4_request',
  createOnly: ['x-goog-if-generation-match', '0'],
}

/** Reads where URLs have the name of the bucket. */
function style(text: string): 'path' | 'virtual' {
  if (text === 'path' || text === 'virtual') return text
  throw new InvalidValue('path or virtual')
}

/**
 * A bucket in Amazon S3, Cloudflare R2, Google Cloud Storage, or a service with S3's API that
 * honours If-None-Match.
 */
const S3 = defineBackend({
  label: "in Cloudflare R2, or another service with S3's API",
  needsUrl: true,
  settings: {
    s3Endpoint: {
      option: '--s3-endpoint <url>',
      variables: ['S3_ENDPOINT', 'R2_ACCOUNT_ID'],
      read: endpoint,
      needed: true,
      help: "the service's URL without the bucket, or the 32 hex digits of an account at R2",
      secret: 'in its URL',
    },
    s3Bucket: {
      option: '--s3-bucket <name>',
      variables: ['S3_BUCKET', 'R2_BUCKET_ID'],
      read: bucketName,
      needed: true,
      help: "the bucket's name in S3",
    },
    s3AccessKeyId: {
      variables: ['S3_ACCESS_KEY_ID', 'R2_WRITE_ACCESS_KEY_ID'],
      read: word,
      needed: true,
      help: 'the id of a key that may read, list and write that bucket',
      secret: 'all',
    },
    s3SecretAccessKey: {
      variables: ['S3_SECRET_ACCESS_KEY', 'R2_WRITE_SECRET_ACCESS_KEY'],
      read: word,
      needed: true,
      help: "that key's secret",
      secret: 'all',
    },
    s3Region: {
      variables: ['S3_REGION'],
      read: word,
      default: 'auto',
      proposed: 'auto',
      help: "the bucket's region; auto for R2",
    },
    s3Style: {
      variables: ['S3_STYLE'],
      read: style,
      default: 'path',
      help: 'where URLs have the name of the bucket: path, or virtual (in the host)',
    },
  },
  bucketOf: ({ s3Endpoint, s3Bucket, s3AccessKeyId, s3SecretAccessKey, s3Region, s3Style }) => {
    const bucket = serviceBucket({
      endpoint: s3Endpoint,
      bucket: s3Bucket,
      accessKeyId: s3AccessKeyId,
      secretAccessKey: s3SecretAccessKey,
      region: s3Region,
      style: s3Style,
      ...(GOOGLES_URL.test(s3Endpoint) && { dialect: GOOGLE }),
    })
    return { open: () => bucket }
  },
})

/**
 * A bucket in a service with S3's API, asked from this machine. While the network or the service
 * fails, or does not have yet what it took, a write is tried up to 5 times more within half a
 * minute: after 250 ms, then after twice as long each time.
 */
function serviceBucket(options: Omit<S3Options, 'now' | 'fetch'>): Bucket {
  const { now, fetch } = NODE_HOST
  const bucket = s3Bucket({ ...options, now, fetch })
  const write: Bucket['write'] = (path, bytes) =>
    pRetry(() => bucket.write(path, bytes), {
      retries: 5,
      minTimeout: 250,
      maxRetryTime: 30_000,
      shouldRetry: ({ error }) => error instanceof BucketFailure && !error.isFinal,
    })
  return { read: bucket.read, write }
}

/** A bucket in a folder of this machine, named after the hotkey. */
const DIRECTORY = defineBackend({
  label: 'in a folder here, which a web server serves',
  needsUrl: false,
  settings: {
    buckets: {
      option: '--buckets <folder>',
      variables: ['AFFINE_BUCKETS'],
      read: String,
      kind: 'path',
      needed: true,
      help: 'the folder in which the bucket is, as a folder named after the hotkey',
      proposed: 'buckets',
    },
  },
  bucketOf: ({ buckets }) => bucketIn(buckets),
})

/** The bucket of each hotkey in this folder. */
export function bucketIn(folder: string): OwnBucket {
  return { folder, open: (hotkey) => directoryBucket(join(folder, hotkey)) }
}

/** The places where a validator can keep its bucket, in the order of `af setup`. */
export const BACKENDS: readonly Backend[] = [S3, DIRECTORY]

/** The backend to which the setting of this name belongs; undefined for one of every validator. */
export function backendOf({ name }: { readonly name: string }): Backend | undefined {
  return BACKENDS.find(({ settings }) => Object.hasOwn(settings, name))
}

/** The backends for which a setting without a default is given. */
export function backendsIn(given: object): readonly Backend[] {
  return BACKENDS.filter(({ settings }) =>
    Object.entries(settings).some(([name, { needed }]) => needed && Object.hasOwn(given, name)),
  )
}
