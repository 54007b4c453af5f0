import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account } from '../../packages/chain/src/index.ts'
import type { Setup } from '../../packages/engine/src/setup.ts'
import { validatorOf } from '../../packages/engine/test/one-validator.ts'
import type { ReadingSubnet } from './reading-subnet.ts'

/**
 * Starts a voter of a subnet as a real validator in its own folder. No miner replies to it. The
 * subnet produces a block only when the validator has finished its work at the previous block.
 */
export async function follow(
  root: string,
  subnet: ReadingSubnet,
  account: Account,
  options: Partial<Setup> = {},
): Promise<ReturnType<typeof validatorOf> & { readonly folder: string }> {
  const folder = join(await mkdtemp(join(root, 'validator-')), 'own')
  const { chain, network, buckets } = subnet
  const bucketUrl = account.hotkey
  const given = { account, network, bucketUrl, openBucket: buckets.open, ...options }
  const following = { ...validatorOf(chain, folder, given), folder }
  subnet.hear = async (head) => {
    following.validator.onHead(head)
    await following.validator.idle()
  }
  return following
}
