import { join } from 'node:path'
import type { Bucket } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { BucketRefusal, s3Bucket } from '@affine/blocks/s3'
import type { Network, OpenBucket } from '@affine/settlement'
import { NODE_HOST, openBucket } from '@affine/settlement/node'
import pRetry from 'p-retry'
import { OWNERS } from './private-folder.ts'
import type { Settings } from './settings.ts'
import type { Setup } from './setup.ts'

/** Is `emit` set? On a careful network only by `--emit`, elsewhere unless by `--dry-run`. */
export function emits({ careful }: Network, told: Pick<Settings, 'emit' | 'dryRun'>): boolean {
  return told.emit ?? !(told.dryRun || careful)
}

/**
 * Opens the buckets that are folders side by side, or below one URL; and at URLs, any where miners
 * are on loopback.
 */
export function bucketsIn(
  base: string | undefined,
  network?: Pick<Network, 'platform'>,
): OpenBucket {
  const isLocal = network?.platform === 'loopback'
  const place = isLocal ? { base, allowPrivate: true } : { base }
  return (hotkey, url) => openBucket(hotkey, url, place)
}

type Places = Pick<Setup, 'folder' | 'store' | 'bucket' | 'bucketUrl' | 'openBucket'>
type Wanted = Pick<Settings, 'folder' | 'bucket' | 'bucketUrl'>

/**
 * Where the validator `hotkey` keeps what is its own, and the buckets: its one in S3, or the folder
 * of its name beside the others' in the folder `bucket`. What it announces is `bucketUrl`, or that
 * name.
 */
export function placesOf(wanted: Wanted, hotkey: string, network: Network): Places {
  const { folder, bucket, bucketUrl } = wanted
  const own = { folder, store: directoryBucket(folder, OWNERS), bucketUrl: bucketUrl || hotkey }
  const written = ownBucket(bucket, hotkey)
  if (typeof bucket !== 'string')
    return { ...own, bucket: patient(written), openBucket: bucketsIn(undefined, network) }
  return { ...own, bucket: written, openBucket: bucketsIn(bucket, network) }
}

/** The bucket that `hotkey` writes: in S3, or the folder of its name in the folder `bucket`. */
export function ownBucket(bucket: Settings['bucket'], hotkey: string): Bucket {
  if (typeof bucket === 'string') return directoryBucket(join(bucket, hotkey))
  return s3Bucket({ ...bucket, now: Date.now, fetch: NODE_HOST.fetch })
}

/**
 * Tries a write again, 5 times, after 250 ms and then after twice as long each time, while the
 * network or the service fails.
 */
function patient(bucket: Bucket): Bucket {
  const write: Bucket['write'] = (path, bytes) =>
    pRetry(() => bucket.write(path, bytes), {
      retries: 5,
      minTimeout: 250,
      shouldRetry: ({ error }) => isPassing(error),
    })
  return { read: bucket.read, write }
}

/** A refusal would be the same, and so would a path that is none. */
const isPassing = (error: Error): boolean =>
  !(error instanceof BucketRefusal || error instanceof RangeError)
