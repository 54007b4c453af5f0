import type { Bucket } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { BucketRefusal } from '@affine/blocks/s3'
import type { Setup } from '@affine/engine'
import { OWNERS } from '@affine/engine/node'
import type { Network } from '@affine/settlement'
import { bucketsIn } from '@affine/settlement/node'
import pRetry from 'p-retry'
import type { Settings } from '../settings/schema.ts'

/** Are transactions sent? On a careful network only with `--emit`, else unless `--dry-run`. */
export function emits({ careful }: Network, told: Pick<Settings, 'emit' | 'dryRun'>): boolean {
  return told.emit ?? !(told.dryRun || careful)
}

type Places = Pick<Setup, 'folder' | 'store' | 'bucket' | 'bucketUrl' | 'openBucket'>
type Wanted = Pick<Settings, 'folder' | 'bucket'> & { readonly bucketUrl?: string | undefined }

/**
 * The folder and the bucket of the validator `hotkey`, and how it opens the buckets of others,
 * which are beside its own if that is in a folder. It announces `bucketUrl`, or its hotkey as a
 * name.
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
 * Retries a write up to 5 times while the network or the service fails: after 250 ms, then after
 * twice as long each time.
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

/** A refusal or an invalid path would fail again. */
const isPassing = (error: Error): boolean =>
  !(error instanceof BucketRefusal || error instanceof RangeError)
