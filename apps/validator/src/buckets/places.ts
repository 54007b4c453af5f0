import type { Bucket } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { BucketRefusal } from '@affine/blocks/s3'
import type { Setup } from '@affine/engine'
import { OWNERS } from '@affine/engine/node'
import type { Network } from '@affine/settlement'
import { bucketsIn } from '@affine/settlement/node'
import pRetry from 'p-retry'
import type { Settings } from '../settings/schema.ts'

/** Is `emit` set? On a careful network only by `--emit`, elsewhere unless by `--dry-run`. */
export function emits({ careful }: Network, told: Pick<Settings, 'emit' | 'dryRun'>): boolean {
  return told.emit ?? !(told.dryRun || careful)
}

type Places = Pick<Setup, 'folder' | 'store' | 'bucket' | 'bucketUrl' | 'openBucket'>
type Wanted = Pick<Settings, 'folder' | 'bucket' | 'bucketUrl'>

/**
 * Where the validator `hotkey` keeps what is its own, and the buckets: its own, and those of
 * others, which are beside it where it is in a folder. What it announces is `bucketUrl`, or its
 * hotkey as a name.
 */
export function placesOf(wanted: Wanted, hotkey: string, network: Network): Places {
  const { folder, bucket, bucketUrl } = wanted
  const opened = bucket.open(hotkey)
  return {
    folder,
    store: directoryBucket(folder, OWNERS),
    bucket: bucket.folder === undefined ? retrying(opened) : opened,
    bucketUrl: bucketUrl || hotkey,
    openBucket: bucketsIn(bucket.folder, network),
  }
}

/**
 * Tries a write again, 5 times, after 250 ms and then after twice as long each time, while the
 * network or the service fails.
 */
function retrying(bucket: Bucket): Bucket {
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
