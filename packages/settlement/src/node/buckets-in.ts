import type { Network } from '../networks.ts'
import type { OpenBucket } from '../sources.ts'
import { openBucket } from './open-bucket.ts'

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
