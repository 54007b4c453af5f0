import type { Bucket } from '@affine/blocks'
import { BucketRefusal, type S3Options, s3Bucket } from '@affine/blocks/s3'
import { NODE_HOST } from '@affine/settlement/node'
import pRetry from 'p-retry'

/**
 * A bucket in a service with S3's API, asked from this machine. While the network or the service
 * fails, or does not have yet what it took, a write is tried up to 5 times more within half a
 * minute: after 250 ms, then after twice as long each time.
 */
export function serviceBucket(options: Omit<S3Options, 'now' | 'fetch'>): Bucket {
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
