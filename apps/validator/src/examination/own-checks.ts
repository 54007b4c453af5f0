import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Bucket, BucketFailure, LIMITS, probePath, statePath } from '@affine/blocks'
import type { Commitment } from '@affine/chain'
import { chutesAccount, isInOrder, type KeyAccount, mayCall } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { type Network, type Subnet, SYSTEM_CLOCK } from '@affine/settlement'
import { bucketsIn } from '@affine/settlement/node'
import { faultText } from '@affine/terminal'
import type { Loads } from '../service/load.ts'
import type { Settings } from '../settings/settings.ts'
import { type Finding, failed, found } from './findings.ts'

/** Days for which a disk must, and should, have room. */
const [FEW_DAYS, ENOUGH_DAYS] = [2, 30]
/** With a larger error of the clock, timelocks and signatures may be for the wrong time. */
const CLOCK_MS = 5000

/** Has the disk room for a validator's folder, and for its bucket if that is a folder? */
export async function checkDisks(
  { folder, bucket }: Pick<Settings, 'folder' | 'bucket'>,
  { mostEpoch: { laneBytes, bucketBytes }, dayEpochs }: Loads,
): Promise<readonly Finding[]> {
  const check = (path: string, dayBytes: number): Promise<Finding> =>
    checkDisk(path, dayBytes).catch((error: Error) =>
      found('DISK_FAILS', { ...failed(error), message: faultText(error) }),
    )
  const own = await check(folder, 2 * dayEpochs * laneBytes)
  if (bucket.folder === undefined) return [own]
  return [own, await check(bucket.folder, dayEpochs * bucketBytes)]
}

async function checkDisk(folder: string, dayBytes: number): Promise<Finding> {
  const freeBytes = await freeBytesAt(resolve(folder))
  const days = Math.floor(freeBytes / dayBytes)
  const disk = { folder, freeBytes, dayBytes, days }
  if (days >= ENOUGH_DAYS) return found('DISK', disk)
  return found(days >= FEW_DAYS ? 'DISK_SMALL' : 'DISK_FULL', disk)
}

/** The disk on which a folder is, or would be made. */
async function freeBytesAt(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing && dirname(path) !== path) return freeBytesAt(dirname(path))
    throw error
  }
}

/** The account at Chutes, and the clock here beside its; nothing where Chutes is not asked. */
export async function checkChutes(
  { chain: { netuid }, network: { platform } }: Subnet,
  { chutesApiKey }: Pick<Settings, 'chutesApiKey'>,
): Promise<readonly Finding[]> {
  if (platform !== 'chutes') return []
  if (chutesApiKey === undefined) return [found('NO_KEY', {})]
  try {
    const account = await chutesAccount(chutesApiKey, NODE_CALLER)
    return [checkAccount(account), ...checkRole(account, netuid), checkOffset(account)]
  } catch (error) {
    return [found('ACCOUNT_UNKNOWN', failed(error as Error))]
  }
}

function checkAccount(account: KeyAccount): Finding {
  const { status, balance } = account
  if (status !== 200) return found('ACCOUNT_REFUSED', { status })
  if (isInOrder(account)) return found('ACCOUNT', { dollars: balance.toFixed(2) })
  return found('ACCOUNT_EMPTY', { balance })
}

/** May the account call the subnet's chutes, and no more than that? */
function checkRole(account: KeyAccount, netuid: number): readonly Finding[] {
  const { status, roles, netuids } = account
  if (status !== 200) return []
  const access = { netuid, roles, netuids }
  if (!mayCall(account, netuid)) return [found('NO_ACCESS', access)]
  return [found(roles.includes('subnet_admin') ? 'ACCESS_TO_MORE' : 'ACCESS', access)]
}

function checkOffset({ aheadMs, ms }: KeyAccount): Finding {
  if (Number.isNaN(aheadMs)) return found('OFFSET_UNKNOWN', {})
  const isRight = Math.abs(aheadMs) <= CLOCK_MS + ms / 2
  return found(isRight ? 'OFFSET' : 'OFFSET_LARGE', { aheadMs, ms })
}

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
  said: Exclude<Commitment, { kind: 'miner' }> | null,
  { hotkey, network, base }: Whose,
): Promise<Finding> {
  if (said === null) return found('BUCKET_NOT_ANNOUNCED', {})
  const { url, epoch } = said
  // The state that governs an epoch is published as it begins, and before it is attested.
  const path = statePath(epoch)
  const bucket = bucketsIn(base, network)(hotkey, url)
  if (bucket === null)
    return found(base === undefined ? 'BUCKET_NOT_NAMED' : 'BUCKET_NOT_OPENED', { path, url })
  const bytes = await bucket.read(path, LIMITS.blockBytes).catch((error: Error) => error)
  if (bytes instanceof Error) return found('BUCKET_FAILS', failed(bytes))
  return found(bytes === null ? 'BUCKET_LACKS' : 'BUCKET', { path, url })
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
    yield found('NOT_WRITTEN', failed(error as Error))
    return
  }
  yield found('WRITTEN', { path })
  yield await checkKept(probe, own, path)
  yield await checkProbe(probe, bucketUrl ?? hotkey, whose)
}

/** Does the bucket refuse other bytes where the probe is? */
async function checkKept(probe: string, own: Bucket, path: string): Promise<Finding> {
  const taken = own.write(path, Buffer.from('{}'))
  const refusal = await taken.then(
    () => undefined,
    (error: Error) => error,
  )
  if (refusal === undefined) {
    // For the next examination, perhaps of a bucket that was mended.
    await own.write(path, Buffer.from(probe)).catch(() => undefined)
    return found('NOT_KEPT', { path })
  }
  if (refusal instanceof BucketFailure && refusal.code === 'conflict')
    return found('KEPT', { path })
  return found('KEEPING_FAILS', failed(refusal))
}

/** Is the probe read at `url` as others will? */
async function checkProbe(probe: string, url: string, whose: Whose): Promise<Finding> {
  const { hotkey, network, base } = whose
  const source = bucketsIn(base, network)(hotkey, url)
  if (source === null) return found('PROBE_URL', { url })
  const path = probePath(hotkey)
  const asked = SYSTEM_CLOCK.now()
  const bytes = await readLate(source, path)
  if (bytes instanceof Error) return found('PROBE_FAILS', failed(bytes))
  if (bytes === null) return found('PROBE_MISSING', { path, url })
  if (Buffer.from(bytes).toString() !== probe) return found('PROBE_OTHER', { path, url })
  const isForeign = network.platform === 'chutes' && url === hotkey
  if (isForeign) return found('PROBE_LOCAL', {})
  return found('PROBE', { path, url, ms: Math.ceil(SYSTEM_CLOCK.now() - asked) })
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
