import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Bucket, BucketFailure, LIMITS, probePath, statePath } from '@affine/blocks'
import type { Commitment } from '@affine/chain'
import { type AskedAccount, chutesAccount, isInOrder, mayCall, noAccessText } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { type Network, type Subnet, SYSTEM_CLOCK } from '@affine/settlement'
import { bucketsIn } from '@affine/settlement/node'
import { faultText } from '@affine/terminal'
import { bytesText, type Loads } from '../service/load.ts'
import type { Settings } from '../settings/settings.ts'
import { type Finding, fail, ok, warn } from './findings.ts'

/** Days for which a disk must, and should, have room. */
const [FEW_DAYS, ENOUGH_DAYS] = [2, 30]
/** With a larger error of the clock, timelocks and signatures may be for the wrong time. */
const CLOCK_MS = 5000

type DiskLoads = Pick<Loads, 'dayEpochs'> & {
  readonly mostEpoch: Pick<Loads['mostEpoch'], 'laneBytes' | 'bucketBytes'>
}

/** Has the disk room for a validator's folder, and for its bucket if that is a folder? */
export async function checkDisks(
  { folder, bucket }: Pick<Settings, 'folder' | 'bucket'>,
  { mostEpoch: { laneBytes, bucketBytes }, dayEpochs }: DiskLoads,
): Promise<readonly Finding[]> {
  const check = (path: string, dayBytes: number): Promise<Finding> =>
    checkDisk(path, dayBytes).catch((error: Error) => fail('disk', faultText(error)))
  const own = await check(folder, 2 * dayEpochs * laneBytes)
  if (bucket.folder === undefined) return [own]
  return [own, await check(bucket.folder, dayEpochs * bucketBytes)]
}

async function checkDisk(folder: string, dayBytes: number): Promise<Finding> {
  const free = await freeBytes(resolve(folder))
  const days = Math.floor(free / dayBytes)
  const need = `takes at most ${bytesText(dayBytes)} a day`
  const found = `${folder} has ${bytesText(free)} free and ${need}: ${days} days`
  if (days >= ENOUGH_DAYS) return ok('disk', found)
  const advice = 'take a larger one, or a bucket in S3'
  return days >= FEW_DAYS ? warn('disk', found, advice) : fail('disk', found, advice)
}

/** The disk on which a folder is, or would be made. */
async function freeBytes(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing && dirname(path) !== path) return freeBytes(dirname(path))
    throw error
  }
}

/** The account at Chutes, and the clock here beside its; nothing where Chutes is not asked. */
export async function checkChutes(
  { chain: { netuid }, network: { platform } }: Subnet,
  { chutesApiKey }: Pick<Settings, 'chutesApiKey'>,
): Promise<readonly Finding[]> {
  if (platform !== 'chutes') return []
  if (chutesApiKey === undefined) return [fail('chutes', 'CHUTES_API_KEY: not given')]
  try {
    const account = await chutesAccount(chutesApiKey, NODE_CALLER)
    return [checkAccount(account), ...checkRole(account, netuid), checkOffset(account)]
  } catch (error) {
    const found = `no account to be had: ${(error as Error).message}`
    return [fail('chutes', found, 'is api.chutes.ai reached from here?')]
  }
}

function checkAccount(account: AskedAccount): Finding {
  const { status, balance } = account
  if (status !== 200)
    return fail('chutes', `the account is refused with ${status}`, 'mend CHUTES_API_KEY')
  if (isInOrder(account)) return ok('chutes', `the account has ${balance.toFixed(2)} $`)
  return fail('chutes', `the account's balance is ${balance}`, 'top it up: sampling would pause')
}

/** May the account call the subnet's chutes, and no more than that? */
function checkRole(account: AskedAccount, netuid: number): readonly Finding[] {
  if (account.status !== 200) return []
  if (!mayCall(account, netuid)) return [fail('access', `Chutes ${noAccessText(account, netuid)}`)]
  const found = `the account may call the chutes of subnet ${netuid}`
  if (!account.roles.includes('subnet_admin')) return [ok('access', found)]
  const advice = 'subnet_invoke is enough to validate: ask for subnet_admin to be taken back'
  return [warn('access', `${found}, and delete them and read their logs`, advice)]
}

function checkOffset({ aheadMs, ms }: AskedAccount): Finding {
  if (Number.isNaN(aheadMs)) return warn('clock offset', 'Chutes does not say its time')
  const seconds = (amount: number): string => (amount / 1000).toFixed(1)
  const side = aheadMs < 0 ? 'behind' : 'ahead of'
  const found = `${seconds(Math.abs(aheadMs))} s ${side} Chutes, give or take`
  const text = `${found} ${seconds(500 + ms / 2)} s`
  if (Math.abs(aheadMs) <= CLOCK_MS + ms / 2) return ok('clock offset', text)
  return fail('clock offset', text, 'set the clock: `timedatectl set-ntp true`')
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
  if (said === null) return warn('bucket', 'not announced yet')
  const { url, epoch } = said
  const advice = 'name its place with --buckets; is it served?'
  // The state that governs an epoch is published as it begins, and before it is attested.
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
    (error: Error) => error,
  )
  if (refusal === undefined) {
    // For the next examination, perhaps of a bucket that was mended.
    await own.write(path, Buffer.from(probe)).catch(() => undefined)
    const advice = 'take a service that refuses that, as S3 does by If-None-Match'
    return fail('bucket keeps', `it overwrote ${path} with other bytes`, advice)
  }
  if (refusal instanceof BucketFailure && refusal.code === 'conflict')
    return ok('bucket keeps', `other bytes for ${path} are refused`)
  return fail('bucket keeps', refusal.message)
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
