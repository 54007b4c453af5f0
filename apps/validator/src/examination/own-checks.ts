import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { bytesText, type Loads } from '@affine/engine'
import {
  type AskedAccount,
  chutesAccount,
  isInOrder,
  LOOK_UP_MS,
  mayCall,
  noAccessText,
} from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import type { Subnet } from '@affine/settlement'
import { faultText } from '@affine/terminal'
import type { Settings } from '../settings/settings.ts'
import { type Finding, fail, ok, warn } from './findings.ts'

/** Days for which a disk must, and should, have room. */
const [FEW_DAYS, ENOUGH_DAYS] = [2, 30]
/** With a larger error of the clock, timelocks and signatures may be for the wrong time. */
const CLOCK_MS = 5000

/** Has the disk room for a validator's folder, and for its bucket if that is a folder? */
export async function checkDisks(
  { folder, bucket }: Pick<Settings, 'folder' | 'bucket'>,
  { laneBytes, bucketBytes }: Pick<Loads['mostDay'], 'laneBytes' | 'bucketBytes'>,
): Promise<readonly Finding[]> {
  const check = (path: string, dayBytes: number): Promise<Finding> =>
    checkDisk(path, dayBytes).catch((error: Error) => fail('disk', faultText(error)))
  const own = await check(folder, 2 * laneBytes)
  if (bucket.folder === undefined) return [own]
  return [own, await check(bucket.folder, bucketBytes)]
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
    const account = await chutesAccount(chutesApiKey, AbortSignal.timeout(LOOK_UP_MS), NODE_CALLER)
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
