import * as z from 'zod/mini'
import { ChainError } from '../chain-error.ts'
import { type Storage, SUBNET_PALLET } from './storage.ts'

const commitsShape = z.array(
  z.tuple([z.string().check(z.regex(/^0x[0-9a-f]{64}$/)), z.int(), z.int(), z.int()]),
)

/** A commit of weights that is not revealed yet. */
export interface PendingCommit {
  /** 64 hex digits. */
  readonly hash: string
  /** The epoch of the commit, or its block if the runtime does not count epochs. */
  readonly since: number
  /** The blocks in which it can be revealed, if the runtime does not count epochs. */
  readonly firstBlock: number
  readonly lastBlock: number
}

/**
 * A hotkey's commits that are not revealed yet.
 * @throws ChainError `BadReply`, as a rejection, if they are malformed.
 */
export async function pendingCommits(
  storage: Storage,
  netuid: number,
  hotkey: string,
): Promise<PendingCommit[]> {
  const commits = await storage.query(SUBNET_PALLET, 'weightCommits', netuid, hotkey)
  const { data } = commitsShape.safeParse(commits.toJSON() ?? [])
  if (!data) throw new ChainError('BadReply', 'the commits of weights on the chain are malformed')
  return data.map(([hash, since, firstBlock, lastBlock]) => ({
    hash: hash.slice(2),
    since,
    firstBlock,
    lastBlock,
  }))
}
