import { directoryBucket } from '@affine/blocks/directory'
import type { Setup } from '@affine/engine'
import { OWNERS } from '@affine/engine/node'
import type { Network } from '@affine/settlement'
import { bucketsIn } from '@affine/settlement/node'
import type { Sending, Settings } from '../settings/settings.ts'

/** Are transactions sent? On a careful network only with `--emit`, else unless `--dry-run`. */
export function emits({ careful }: Network, told: Partial<Sending>): boolean {
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
  return {
    folder,
    store: directoryBucket(folder, OWNERS),
    bucket: bucket.open(hotkey),
    bucketUrl: bucketUrl || hotkey,
    openBucket: bucketsIn(bucket.folder, network),
  }
}
