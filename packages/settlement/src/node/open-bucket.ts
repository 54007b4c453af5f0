import { join } from 'node:path'
import { type Bucket, httpBucket } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { nodeFetch } from '@affine/blocks/node-fetch'
import type { Source } from '../sources.ts'
import { type FetchOptions, publicFetch } from './public-fetch.ts'

/** An address of a host and a path alone. */
const WEB = /^https?:\/\/[\w.:[\]-]+(\/[\w.~/-]*)?$/
const PLAIN_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/** May it be looked up below a place of the reader's? */
export const isPlainName = (url: string): boolean => PLAIN_NAME.test(url)

/** Shared, so that connections are used again. */
const strangers = publicFetch()

export interface BucketPlace extends FetchOptions {
  /** The folder or URL below which plain names are looked up; none are without. */
  readonly base?: string | undefined
}

/**
 * Opens the bucket that a validator announced as `url`, or returns null when it may not be opened.
 * A plain name is looked up below `base`, which the reader chose, so that an announcement cannot
 * reach elsewhere. An https URL, of a host and a path alone, is read from public addresses only.
 * With `allowPrivate`, for local networks, also http and any address. Protocol §6.4.
 */
export function openBucket(hotkey: string, url: string, place: BucketPlace = {}): Source | null {
  const { base, ...options } = place
  const mayOpen = url.startsWith('https:') || options.allowPrivate === true
  if (mayOpen && WEB.test(url) && URL.canParse(url)) {
    const fetch = Object.keys(options).length === 0 ? strangers : publicFetch(options)
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
