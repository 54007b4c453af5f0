import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Bucket, BucketFailure, LIMITS, probePath } from '@affine/blocks'
import { BLOCK_MS, type Neuron } from '@affine/chain'
import { computeQuota, type Protocol } from '@affine/duel'
import { canCall, fetchAccount, isInOrder, type KeyAccount } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { type Network, type OpenBucket, type Subnet, SYSTEM_CLOCK } from '@affine/settlement'
import { openPlaces, type Settings } from '../settings/settings.ts'
import { describe, type Finding, note } from './findings.ts'

/** Number of days for which a disk must have free space, and for which it should. */
const [FEW_DAYS, ENOUGH_DAYS] = [2, 30]
/** Maximum error of this clock. With a larger error, timelocks and signatures may be mistimed. */
const CLOCK_MS = 5000

/** Mean bytes of a lane's line with short replies: of a game's line, and of an episode's line. */
const [GAME_BYTES, EPISODE_BYTES] = [16_000, 830]
const DAY_MS = 86_400_000

/**
 * Returns the bytes that a day adds to a validator's lane and to its bucket, in the largest epochs:
 * with the maximum number of concurrent duels and every environment open. The number of validators
 * is that of neurons with a permit and stake.
 */
export function estimateDay(
  { duelEpochs, duelsMost: contenders, epochBlocks, validatorsMost, envs }: Protocol,
  neurons: readonly Pick<Neuron, 'permit' | 'stake'>[],
): Readonly<Record<'laneBytes' | 'bucketBytes', number>> {
  const able = neurons.filter(({ permit, stake }) => permit && stake > 0n)
  const voters = Math.min(Math.max(1, able.length), validatorsMost)
  const dayEpochs = DAY_MS / (epochBlocks * BLOCK_MS)
  let laneBytes = 0
  for (const constants of Object.values(envs)) {
    // In an environment of one player, the champion plays each challenge once for all contenders.
    const isGame = constants.players === 2
    const bytes = isGame ? contenders * GAME_BYTES : (contenders + 1) * EPISODE_BYTES
    laneBytes += dayEpochs * computeQuota(duelEpochs, constants) * bytes
  }
  // The validator's bucket contains the lanes of all voters.
  return { laneBytes, bucketBytes: voters * laneBytes }
}

/** Checks the disks of a validator's folder, which contains its lane twice, and of its bucket. */
export async function checkDisks(
  { folder, bucket }: Pick<Settings, 'folder' | 'bucket'>,
  { laneBytes, bucketBytes }: ReturnType<typeof estimateDay>,
): Promise<readonly Finding[]> {
  const check = (path: string, dayBytes: number): Promise<Finding> =>
    checkDisk(path, dayBytes).catch((error: Error) => note('DISK_FAILS', describe(error)))
  const own = await check(folder, 2 * laneBytes)
  if (bucket.folder === undefined) return [own]
  return [own, await check(bucket.folder, bucketBytes)]
}

async function checkDisk(folder: string, dayBytes: number): Promise<Finding> {
  const freeBytes = await measureFreeBytes(resolve(folder))
  const days = Math.floor(freeBytes / dayBytes)
  const disk = { folder, freeBytes, dayBytes, days }
  if (days >= ENOUGH_DAYS) return note('DISK', disk)
  return note(days >= FEW_DAYS ? 'DISK_SMALL' : 'DISK_FULL', disk)
}

/** Returns the free bytes of the disk on which a folder is, or would be created. */
async function measureFreeBytes(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing && dirname(path) !== path) return measureFreeBytes(dirname(path))
    throw error
  }
}

/**
 * Checks the account at Chutes, and this clock against Chutes' clock. Resolves with no findings if
 * miners are not on Chutes.
 */
export async function checkChutes(
  { chain: { netuid }, network: { platform } }: Subnet,
  { chutesApiKey }: Pick<Settings, 'chutesApiKey'>,
): Promise<readonly Finding[]> {
  if (platform !== 'chutes') return []
  if (chutesApiKey === undefined) return [note('NO_KEY', {})]
  try {
    const account = await fetchAccount(chutesApiKey, NODE_CALLER)
    const { status } = account
    if (status !== 200) return [note('ACCOUNT_REFUSED', { status }), checkOffset(account)]
    return [checkBalance(account), checkRole(account, netuid), checkOffset(account)]
  } catch (error) {
    return [note('ACCOUNT_UNKNOWN', describe(error as Error))]
  }
}

function checkBalance(account: KeyAccount): Finding {
  const { balance } = account
  if (isInOrder(account)) return note('ACCOUNT', { dollars: balance.toFixed(2) })
  return note('ACCOUNT_EMPTY', { balance })
}

/** Checks that the account may call the subnet's chutes, and not delete chutes. */
function checkRole(account: KeyAccount, netuid: number): Finding {
  const { roles, netuids } = account
  const access = { netuid, roles, netuids }
  if (!canCall(account, netuid)) return note('NO_ACCESS', access)
  return note(roles.includes('subnet_admin') ? 'ACCESS_TO_MORE' : 'ACCESS', access)
}

function checkOffset({ aheadMs, ms }: KeyAccount): Finding {
  if (Number.isNaN(aheadMs)) return note('OFFSET_UNKNOWN', {})
  const isRight = Math.abs(aheadMs) <= CLOCK_MS + ms / 2
  return note(isRight ? 'OFFSET' : 'OFFSET_LARGE', { aheadMs, ms })
}

/**
 * Checks that a validator's own bucket can be written, overwrites no file, and is readable at its
 * announced URL. The probe is always the same file, and stays. Protocol §6.4.
 */
export async function* checkOwnBucket(
  settings: Settings,
  hotkey: string,
  network: Network,
): AsyncGenerator<Finding> {
  const probe = JSON.stringify({ hotkey })
  const path = probePath(hotkey)
  const { bucket, bucketUrl: url, openBucket } = openPlaces(settings, hotkey, network)
  try {
    await bucket.write(path, Buffer.from(probe))
  } catch (error) {
    yield note('NOT_WRITTEN', describe(error as Error))
    return
  }
  yield note('WRITTEN', { path })
  yield await checkOverwriting(probe, bucket, path)
  const isForeign = network.platform === 'chutes' && url === hotkey
  yield isForeign
    ? note('PROBE_LOCAL', {})
    : await checkProbe(probe, openBucket(hotkey, url), { path, url })
}

async function checkOverwriting(probe: string, own: Bucket, path: string): Promise<Finding> {
  const refusal = await own.write(path, Buffer.from('{}')).catch((error: Error) => error)
  if (refusal instanceof BucketFailure && refusal.code === 'conflict') return note('KEPT', { path })
  if (refusal instanceof Error) return note('KEEPING_FAILS', describe(refusal))
  // Restores the probe for the next check.
  await own.write(path, Buffer.from(probe)).catch(() => undefined)
  return note('NOT_KEPT', { path })
}

async function checkProbe(
  probe: string,
  source: ReturnType<OpenBucket>,
  file: { readonly path: string; readonly url: string },
): Promise<Finding> {
  if (source === null) return note('PROBE_URL', file)
  const startMs = SYSTEM_CLOCK.now()
  const bytes = await readWithRetries(source, file.path)
  if (bytes instanceof Error) return note('PROBE_FAILS', describe(bytes))
  if (bytes === null) return note('PROBE_MISSING', file)
  if (Buffer.from(bytes).toString() !== probe) return note('PROBE_OTHER', file)
  return note('PROBE', { ...file, ms: Math.ceil(SYSTEM_CLOCK.now() - startMs) })
}

/**
 * Reads the file at `path`. Resolves with its bytes; with null if it does not exist; or with the
 * last error. Retries for up to 20 seconds, because a cache may be stale, and some servers respond
 * with 403 for a missing file.
 */
async function readWithRetries(source: Pick<Bucket, 'read'>, path: string) {
  const until = SYSTEM_CLOCK.now() + 20_000
  for (let pauseMs = 1000; ; pauseMs *= 2) {
    const bytes = await source.read(path, LIMITS.headerBytes).catch((error: Error) => error)
    if (bytes instanceof Uint8Array || SYSTEM_CLOCK.now() + pauseMs > until) return bytes
    await new Promise<void>((wake) => SYSTEM_CLOCK.after(pauseMs, wake))
  }
}
