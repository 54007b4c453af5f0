import type { Network } from '../networks.ts'
import type { OpenBucket } from '../sources.ts'
import { openBucket } from './open-bucket.ts'

/**
 * A function that opens buckets: by name, below `base`, a folder or a URL; and at announced URLs.
 * On a network whose miners are on loopback these may lead to any address.
 */
export function bucketsIn(
  base: string | undefined,
  network?: Pick<Network, 'platform'>,
): OpenBucket {
  const isLocal = network?.platform === 'loopback'
  const place = isLocal ? { base, allowPrivate: true } : { base }
  return (hotkey, url) => openBucket(hotkey, url, place)
}
