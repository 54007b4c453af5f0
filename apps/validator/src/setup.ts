import { join } from 'node:path'
import type { Bucket, Sample } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import type { Account, Chain } from '@affine/chain'
import type { Miner } from '@affine/duel'
import type { Agent } from '@affine/envs'
import { type Network, openBucket, type Settled, type Source } from '@affine/verifier'

/** Everything a validator needs from outside: chain, key, disk, miners, peers, clock, randomness. */
export interface Setup {
  readonly chain: Chain
  readonly account: Account
  readonly network: Network
  /** Does it send to the chain? What it withholds without, it reports. */
  readonly emit: boolean
  /** Does it decide everything anew where it kept no state, instead of starting from the one that the others attested? */
  readonly replay?: boolean
  /** Its own folder, for its journals; nobody else reads it. */
  readonly folder: string
  /** The same folder as a bucket, for secrets and sealed blocks: what is written there is never overwritten. */
  readonly store: Bucket
  /** What everyone may read, and the name or URL under which the chain announces it. */
  readonly bucket: Bucket
  readonly bucketUrl: string
  /** Opens another validator's bucket; null when the announced URL may not be opened. */
  readonly openBucket: (hotkey: string, url: string) => Source | null
  /** Who answers for a miner, with the time for a reply and the signal that ends the sampling. */
  readonly agent: (miner: Miner, replyMs: number, signal: AbortSignal) => Agent
  readonly now: () => number
  readonly random: (size: number) => Uint8Array
  readonly on: (event: Event) => void
}

/** What happens in a validator, for people and logs. Nothing is decided from it. */
export type Event =
  | { readonly type: 'epoch'; readonly settled: Settled }
  | { readonly type: 'sample'; readonly epoch: number; readonly sample: Sample; readonly left: number }
  | { readonly type: 'sent'; readonly what: string; readonly block: number }
  | { readonly type: 'withheld'; readonly what: string }
  | { readonly type: 'problem'; readonly what: string; readonly error: Error }

/** Is `emit` set? On a careful network only by `--emit`, elsewhere unless by `--dry-run`. */
export const emits = ({ careful }: Network, told: { readonly emit?: true; readonly dryRun?: true }): boolean =>
  told.emit ?? !(told.dryRun || careful)

/** Opens the buckets that are folders side by side, or below one URL. */
export function bucketsIn(base: string): Setup['openBucket'] {
  return (hotkey, url) => openBucket(hotkey, url, base)
}

type Folders = Pick<Setup, 'folder' | 'store' | 'bucket' | 'bucketUrl' | 'openBucket'>

/** Buckets that are folders side by side under `buckets`, each announced by its validator's hotkey. */
export function folders(folder: string, buckets: string, bucketUrl: string): Folders {
  const bucket = directoryBucket(join(buckets, bucketUrl))
  return { folder, store: directoryBucket(folder), bucket, bucketUrl, openBucket: bucketsIn(buckets) }
}
