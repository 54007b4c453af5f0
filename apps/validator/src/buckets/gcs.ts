import type { Dialect } from '@affine/blocks/s3'
import { ABOUT, bucketName, web, word } from '../settings/setting.ts'
import { type Backend, defineBackend } from './backend.ts'
import { serviceBucket } from './service-bucket.ts'

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
