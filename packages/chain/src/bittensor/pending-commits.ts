import * as z from 'zod'
import { ChainError } from '../chain-error.ts'
import { type Storage, SUBNET_PALLET } from './storage.ts'

const commitsShape = z.array(
  z.tuple([z.string().regex(/^0x[0-9a-f]{64}$/), z.int(), z.int(), z.int()]),
)

/** A commit of weights that was not revealed. */
export interface PendingCommit {
  /** 64 hex digits. */
  readonly hash: string
  /** The epoch of the commit, or its block where the runtime does not count epochs. */
  readonly since: number
  /** The blocks of its reveal, where the runtime does not count epochs. */
  readonly firstBlock: number
  readonly lastBlock: number
}

/** A hotkey's commits that were not revealed. */
export async function pendingCommits(
  storage: Storage,
  netuid: number,
  hotkey: string,
): Promise<PendingCommit[]> {
  const commits = await storage.query(SUBNET_PALLET, 'weightCommits', netuid, hotkey)
  const { data } = commitsShape.safeParse(commits.toJSON() ?? [])
  if (!data)
    throw new ChainError(
      'BadReply',
      'the commits of weights on the chain are not as they should be',
    )
  return data.map(([hash, since, firstBlock, lastBlock]) => ({
    hash: hash.slice(2),
    since,
    firstBlock,
    lastBlock,
  }))
}
