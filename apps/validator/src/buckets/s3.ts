import type { Bucket } from '@affine/blocks'
import { BucketRefusal, type Dialect, type S3Options, s3Bucket } from '@affine/blocks/s3'
import { NODE_HOST } from '@affine/settlement/node'
import pRetry from 'p-retry'
import * as z from 'zod'
import { ABOUT, bucketName, text, web, word } from '../settings/setting.ts'
import { type Backend, defineBackend } from './backend.ts'

const R2_ACCOUNT = /^[0-9a-f]{32}$/

const EXPECTED = 'expected a plain URL, 128 bytes at most, or the 32 hex digits of an account at R2'

/** Google Cloud Storage has S3's API too, but ignores `If-None-Match` there. */
const GOOGLES = /^https?:\/\/([^/]+\.)?storage\.googleapis\.com(?=[:/]|$)/i
const NOT_GOOGLE =
  "expected a service that never overwrites a file, and by S3's API Google Cloud Storage does: " +
  'name the bucket with --gcs-bucket or GCS_BUCKET instead'

/** The URL of a service with S3's API; the id of an R2 account becomes R2's URL. */
const endpoint = text()
  .transform((given) =>
    R2_ACCOUNT.test(given) ? `https://${given}.r2.cloudflarestorage.com` : given,
  )
  .refine((url) => web().safeParse(url).success, EXPECTED)
  .refine((url) => !GOOGLES.test(url), NOT_GOOGLE)

/** A bucket in Amazon S3, Cloudflare R2, or a service with S3's API that honours If-None-Match. */
export const S3: Backend = defineBackend({
  label: "in Cloudflare R2, or another service with S3's API",
  needsUrl: true,
  settings: {
    s3Endpoint: endpoint.register(ABOUT, {
      help: "the service's URL without the bucket, or the 32 hex digits of an account at R2",
      takes: '<url>',
      variables: ['S3_ENDPOINT', 'R2_ACCOUNT_ID'],
      secret: 'in its URL',
      question: "The service's URL without the bucket, or the account's id at R2",
    }),
    s3Bucket: bucketName().register(ABOUT, {
      help: "the bucket's name in S3",
      takes: '<name>',
      variables: ['S3_BUCKET', 'R2_BUCKET_ID'],
      question: "The bucket's name",
    }),
    s3AccessKeyId: word().register(ABOUT, {
      help: 'the id of a key that may read, list and write that bucket',
      variables: ['S3_ACCESS_KEY_ID', 'R2_WRITE_ACCESS_KEY_ID'],
      secret: 'all',
      question: 'The id of a key that may write there',
    }),
    s3SecretAccessKey: word().register(ABOUT, {
      help: "that key's secret",
      variables: ['S3_SECRET_ACCESS_KEY', 'R2_WRITE_SECRET_ACCESS_KEY'],
      secret: 'all',
      question: "That key's secret",
    }),
    s3Region: word()
      .default('auto')
      .register(ABOUT, {
        help: "the bucket's region; auto for R2",
        variables: ['S3_REGION'],
        question: 'Its region',
      }),
    s3Style: z
      .enum(['path', 'virtual'], 'expected path or virtual')
      .default('path')
      .register(ABOUT, {
        help: 'where URLs have the name of the bucket: path, or virtual (in the host)',
        variables: ['S3_STYLE'],
      }),
  },
  bucketOf: (settings) => {
    const { s3Endpoint, s3AccessKeyId, s3SecretAccessKey, s3Region, s3Style } = settings
    const bucket = serviceBucket({
      endpoint: s3Endpoint,
      bucket: settings.s3Bucket,
      accessKeyId: s3AccessKeyId,
      secretAccessKey: s3SecretAccessKey,
      region: s3Region,
      style: s3Style,
    })
    return { open: () => bucket }
  },
})

/**
 * How Google Cloud Storage's XML API differs from S3. With Amazon's headers it ignores
 * `If-None-Match` on writes and would overwrite files. Its own condition cannot be combined with
 * Amazon's headers.
 */
const GOOGLE: Dialect = {
  prefix: 'GOOG4',
  headers: 'x-goog-',
  scope: 'storage/goog4_request',
  createOnly: ['x-goog-if-generation-match', '0'],
}

/** A bucket in Google Cloud Storage, by an HMAC key. Everyone reads it at Google's address. */
export const GCS: Backend = defineBackend({
  label: 'in Google Cloud Storage',
  needsUrl: false,
  settings: {
    gcsBucket: bucketName().register(ABOUT, {
      help: "the bucket's name in Google Cloud Storage",
      takes: '<name>',
      variables: ['GCS_BUCKET'],
      question: "The bucket's name",
    }),
    gcsAccessKeyId: word().register(ABOUT, {
      help: 'the id of an HMAC key that may read, list and write that bucket',
      variables: ['GCS_ACCESS_KEY_ID'],
      secret: 'all',
      question: 'The id of an HMAC key that may write there',
    }),
    gcsSecretAccessKey: word().register(ABOUT, {
      help: "that HMAC key's secret",
      variables: ['GCS_SECRET_ACCESS_KEY'],
      secret: 'all',
      question: "That key's secret",
    }),
    gcsEndpoint: web()
      .default('https://storage.googleapis.com')
      .register(ABOUT, {
        help: "the XML API's URL, without the bucket",
        variables: ['GCS_ENDPOINT'],
        secret: 'in its URL',
      }),
  },
  bucketOf: ({ gcsBucket, gcsAccessKeyId, gcsSecretAccessKey, gcsEndpoint }) => {
    const bucket = serviceBucket({
      endpoint: gcsEndpoint,
      bucket: gcsBucket,
      accessKeyId: gcsAccessKeyId,
      secretAccessKey: gcsSecretAccessKey,
      dialect: GOOGLE,
    })
    return { open: () => bucket, url: `${gcsEndpoint}/${gcsBucket}` }
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
      shouldRetry: ({ error }) => isPassing(error),
    })
  return { read: bucket.read, write }
}

/** A refusal or an invalid path would fail again. */
const isPassing = (error: Error): boolean =>
  !(error instanceof BucketRefusal || error instanceof RangeError)
