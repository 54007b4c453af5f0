import { type Bucket, LIMITS, probePath, statePath } from '@affine/blocks'
import type { Commitment } from '@affine/chain'
import { type Network, SYSTEM_CLOCK } from '@affine/settlement'
import { bucketsIn } from '@affine/settlement/node'
import type { Settings } from '../settings/settings.ts'
import { type Finding, fail, ok, warn } from './findings.ts'

/** A commitment that announces a bucket: not a miner's. */
type Announcement = Exclude<Commitment, { kind: 'miner' }>

/** Whose bucket it is, on which network, and where buckets announced by name are. */
interface Whose {
  readonly hotkey: string
  readonly network: Network
  readonly base: string | undefined
}

/**
 * Does the bucket that a hotkey announced serve a state? A plain name is looked up below `base`;
 * without `base` it is not checked.
 */
export async function checkBucket(
  said: Announcement | null,
  { hotkey, network, base }: Whose,
): Promise<Finding> {
  if (said === null) return warn('bucket', 'not announced yet')
  const { url, epoch } = said
  const advice = 'name its place with --buckets; is it served?'
  // The state that governs an epoch is published before anyone commits in that epoch.
  const path = statePath(epoch)
  const bucket = bucketsIn(base, network)(hotkey, url)
  if (bucket === null) {
    const found = `${url} was not asked for ${path}`
    if (base === undefined) return warn('bucket', found, advice)
    return fail('bucket', found, advice)
  }
  const bytes = await bucket.read(path, LIMITS.blockBytes).catch((error: Error) => error)
  if (bytes instanceof Error) return fail('bucket', bytes.message, advice)
  if (bytes === null) return warn('bucket', `${url} lacks ${path}`, advice)
  return ok('bucket', `${url} has ${path}`)
}

/**
 * Can a validator's own bucket be written, does it overwrite nothing, and is it read by everyone
 * where it will be announced? Its probe is always the same, and stays. Protocol §6.4.
 */
export async function* checkOwnBucket(
  { bucket, bucketUrl }: Pick<Settings, 'bucket' | 'bucketUrl'>,
  whose: Whose,
): AsyncGenerator<Finding> {
  const { hotkey } = whose
  const probe = JSON.stringify({ hotkey })
  const path = probePath(hotkey)
  const own = bucket.open(hotkey)
  try {
    await own.write(path, Buffer.from(probe))
  } catch (error) {
    yield fail('bucket write', (error as Error).message)
    return
  }
  yield ok('bucket write', `it has ${path}`)
  yield await checkKept(probe, own, path)
  yield await checkProbe(probe, bucketUrl ?? hotkey, whose)
}

/** Does the bucket refuse other bytes where the probe is? */
async function checkKept(probe: string, own: Bucket, path: string): Promise<Finding> {
  const taken = own.write(path, Buffer.from('{}'))
  const refusal = await taken.then(
    () => undefined,
    (error: Error) => error.message,
  )
  if (refusal === undefined) {
    // For the next examination, perhaps of a bucket that was mended.
    await own.write(path, Buffer.from(probe)).catch(() => undefined)
    const advice = 'take a service that refuses that, as S3 does by If-None-Match'
    return fail('bucket keeps', `it overwrote ${path} with other bytes`, advice)
  }
  if (refusal.endsWith('is there with other bytes'))
    return ok('bucket keeps', `other bytes for ${path} are refused`)
  return fail('bucket keeps', refusal)
}

/** Is the probe read at `url` as others will? */
async function checkProbe(probe: string, url: string, whose: Whose): Promise<Finding> {
  const { hotkey, network, base } = whose
  const source = bucketsIn(base, network)(hotkey, url)
  if (source === null) return fail('bucket read', `nobody opens ${url}`, 'name an https URL')
  const path = probePath(hotkey)
  const asked = SYSTEM_CLOCK.now()
  const bytes = await readLate(source, path)
  const found = `${path} at ${url}`
  const advice = 'is that the public address of this bucket, open to everyone?'
  if (bytes instanceof Error) return fail('bucket read', bytes.message, advice)
  if (bytes === null) return fail('bucket read', `no ${found}`, advice)
  if (Buffer.from(bytes).toString() !== probe)
    return fail('bucket read', `something else is ${found}`, advice)
  const isForeign = network.platform === 'chutes' && url === hotkey
  if (isForeign) return warn('bucket read', 'on this machine alone', 'say where with --bucket-url')
  return ok('bucket read', `${found}, in ${Math.ceil(SYSTEM_CLOCK.now() - asked)} ms`)
}

/**
 * What is at `path`, or why there is nothing. A cache may be behind, and some servers answer 403
 * for a missing file: whatever failed is tried again for up to 20 seconds.
 */
async function readLate(source: Pick<Bucket, 'read'>, path: string) {
  const until = SYSTEM_CLOCK.now() + 20_000
  for (let pauseMs = 1000; ; pauseMs *= 2) {
    const bytes = await source.read(path, LIMITS.headerBytes).catch((error: Error) => error)
    const isThere = bytes instanceof Uint8Array
    if (isThere || SYSTEM_CLOCK.now() + pauseMs > until) return bytes
    await new Promise<void>((wake) => SYSTEM_CLOCK.after(pauseMs, wake))
  }
}
