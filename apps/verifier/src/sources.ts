import { join } from 'node:path'
import {
  type Bucket,
  blockPath,
  httpBucket,
  type LaneRequest,
  LIMITS,
  readBlock,
  type Sample,
} from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { verify } from '@affine/chain'
import type { Hash } from '@affine/prng'
import { type FetchOptions, publicFetch } from './public-fetch.ts'

/** A bucket that can be read, under the name that faults give it. */
export type Source = Pick<Bucket, 'read'> & { readonly name: string }

/** Shared, so that connections are used again. */
const strangers = publicFetch()

/**
 * Opens the bucket that a validator announced, or returns null when it may not be opened. A plain
 * name is looked up below `base`, the folder or URL that the reader chose, so that an announcement
 * cannot reach elsewhere. An https URL, of a host and a path alone, is read from public addresses
 * only. With `allowPrivate`, for local networks, also http and any address.
 */
export function openBucket(
  hotkey: string,
  name: string,
  base?: string,
  options?: FetchOptions,
): Source | null {
  const isWeb = /^https?:\/\/[\w.:[\]-]+(\/[\w.~/-]*)?$/.test(name) && URL.canParse(name)
  if (isWeb && (options?.allowPrivate || name.startsWith('https:')))
    return {
      name: hotkey,
      ...httpBucket(name, { fetch: options ? publicFetch(options) : strangers }),
    }
  if (base === undefined || !/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)) return null
  const web = /^https?:\/\//.test(base)
  const { read } = web
    ? httpBucket(`${base.replace(/\/$/, '')}/${name}`)
    : directoryBucket(join(base, name))
  return { name: hotkey, read }
}

type Keep = (hash: Hash, bytes: Uint8Array, samples: readonly Sample[]) => Promise<void>

/**
 * A reader that takes each block from the first source with an authentic copy, and hands its bytes
 * to `keep`. When no source has one, the fault is `MISSING_BLOCK` and says what each of them had.
 */
export function sourceReader(
  sources: readonly Source[],
  keep: Keep = async () => {},
): LaneRequest['read'] {
  return async (hash) => {
    const tried: string[] = []
    for (const { name, read } of sources) {
      const bytes = await read(blockPath(hash), LIMITS.blockBytes).catch(
        (error: Error) => error.message,
      )
      const block = bytes instanceof Uint8Array ? readBlock(bytes, { hash, verify }) : null
      if (block?.ok) await keep(hash, bytes as Uint8Array, block.value.samples)
      // A bad sample was signed by the validator: no other copy is better.
      if (block?.ok || block?.code === 'BAD_SAMPLE') return block
      tried.push(`${name}: ${block?.code ?? bytes ?? 'not there'}`)
    }
    return { ok: false, code: 'MISSING_BLOCK', detail: `nobody has it whole (${tried.join('; ')})` }
  }
}
