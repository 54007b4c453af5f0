import { LIMITS, statePath } from '@affine/blocks'
import type { Commitment } from '@affine/chain'
import { openBucket } from '@affine/settlement/node'
import { type Finding, fail, ok, warn } from './finding.ts'

/** A commitment that announces a bucket: not a miner's. */
type Announcement = Exclude<Commitment, { kind: 'miner' }>

const ADVICE = 'name its place with --buckets; is it served?'

/**
 * Does the bucket that a hotkey announced serve a state? A plain name is looked up below `base`,
 * and not asked without.
 */
export async function checkBucket(
  hotkey: string,
  said: Announcement | null,
  base: string | undefined,
): Promise<Finding> {
  if (said === null) return warn('bucket', 'not announced yet')
  const { url, epoch } = said
  // The state that governed the epoch of the commitment is there since before it was made.
  const path = statePath(epoch)
  const bucket = openBucket(hotkey, url, { base })
  if (bucket === null) {
    const found = `${url} was not asked for ${path}`
    if (base === undefined) return warn('bucket', found, ADVICE)
    return fail('bucket', found, ADVICE)
  }
  const bytes = await bucket.read(path, LIMITS.blockBytes).catch((error: Error) => error)
  if (bytes instanceof Error) return fail('bucket', bytes.message, ADVICE)
  if (bytes === null) return warn('bucket', `${url} lacks ${path}`, ADVICE)
  return ok('bucket', `${url} has ${path}`)
}
