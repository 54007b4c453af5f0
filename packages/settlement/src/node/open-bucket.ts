import { join } from 'node:path'
import { type Bucket, httpBucket } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { nodeFetch } from '@affine/blocks/node-fetch'
import { isBucketUrl, isPlainName } from '../bucket-address.ts'
import type { Source } from '../sources.ts'
import { type FetchOptions, publicFetch } from './public-fetch.ts'

/** One for all buckets, so that connections are used again. */
const sharedFetch = publicFetch()

export interface BucketPlace extends FetchOptions {
  /** The folder or URL below which plain names are looked up. Without it they are not. */
  readonly base?: string | undefined
}

/**
 * Opens the bucket that a validator announced as `url`; null if it may not be opened. A plain name
 * is looked up below `base`, which the reader chose, so that an announcement cannot lead elsewhere.
 * An https URL that has only a host and a path is read from public addresses only. With
 * `allowPrivate`, for local networks, http and any address are allowed too. Protocol §6.4.
 */
export function openBucket(hotkey: string, url: string, place: BucketPlace = {}): Source | null {
  const { base, ...options } = place
  if (isBucketUrl(url, options.allowPrivate === true)) {
    const fetch = Object.keys(options).length === 0 ? sharedFetch : publicFetch(options)
    return { name: hotkey, ...httpBucket(url, { fetch }) }
  }
  if (base === undefined || !isPlainName(url)) return null
  return { name: hotkey, read: bucketBelow(base, url).read }
}

function bucketBelow(base: string, name: string): Pick<Bucket, 'read'> {
  if (/^https?:\/\//.test(base))
    return httpBucket(`${base.replace(/\/$/, '')}/${name}`, { fetch: nodeFetch })
  return directoryBucket(join(base, name))
}
