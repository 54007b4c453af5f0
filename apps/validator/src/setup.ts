import { join } from 'node:path'
import type { Bucket, Sample } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { s3Bucket } from '@affine/blocks/s3'
import type { Account, Chain, Head } from '@affine/chain'
import type { Miner } from '@affine/duel'
import type { Agent } from '@affine/envs'
import { type Network, openBucket, type Settled, type Source } from '@affine/verifier'
import type { Settings } from './settings.ts'

/**
 * Everything a validator needs from outside: chain, key, disk, miners, peers, clock, randomness.
 */
export interface Setup {
  readonly chain: Chain
  readonly account: Account
  readonly network: Network
  /** Does it send to the chain? What it withholds without, it reports. */
  readonly emit: boolean
  /**
   * Does it decide everything anew where it kept no state, instead of starting from the one that
   * the others attested?
   */
  readonly replay?: boolean
  /** Its own folder, for its journals; nobody else reads it. */
  readonly folder: string
  /**
   * The same folder as a bucket, for secrets and sealed blocks: what is written there is never
   * overwritten.
   */
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

/** What happens in a validator, for people, logs and metrics. Nothing is decided from it. */
export type Event =
  | { readonly type: 'head'; readonly head: Head; readonly epoch: number; readonly offset: number }
  | { readonly type: 'epoch'; readonly settled: Settled }
  | {
      readonly type: 'sample'
      readonly epoch: number
      readonly sample: Sample
      readonly left: number
    }
  | { readonly type: 'sent'; readonly what: string; readonly block: number }
  | { readonly type: 'withheld'; readonly what: string }
  | { readonly type: 'problem'; readonly what: string; readonly error: Error }
  /**
   * A task has ended, well or not: `turn` is the one that every head begins, if it is not under
   * way.
   */
  | { readonly type: 'ended'; readonly what: string }
  /** How a request to a miner ended: `platform` and `own` are nothing that the miner could help. */
  | { readonly type: 'call'; readonly outcome: 'reply' | 'platform' | 'miner' | 'own' }
  /** A bucket of another validator answered, or failed to. */
  | { readonly type: 'read' }

/** Is `emit` set? On a careful network only by `--emit`, elsewhere unless by `--dry-run`. */
export const emits = ({ careful }: Network, told: Pick<Settings, 'emit' | 'dryRun'>): boolean =>
  told.emit ?? !(told.dryRun || careful)

/**
 * Opens the buckets that are folders side by side, or below one URL; and at URLs, any where miners
 * are on loopback.
 */
export function bucketsIn(
  base: string | undefined,
  network?: Pick<Network, 'platform'>,
): Setup['openBucket'] {
  const options = network?.platform === 'loopback' ? { allowPrivate: true } : undefined
  return (hotkey, url) => openBucket(hotkey, url, base, options)
}

type Places = Pick<Setup, 'folder' | 'store' | 'bucket' | 'bucketUrl' | 'openBucket'>
type Wanted = Pick<Settings, 'folder' | 'bucket' | 'bucketUrl'>

/**
 * Where the validator `hotkey` keeps what is its own, and the buckets: its one in S3, or the folder
 * of its name beside the others' in the folder `bucket`. What it announces is `bucketUrl`, or that
 * name.
 */
export function placesOf(
  { folder, bucket, bucketUrl = '' }: Wanted,
  hotkey: string,
  network: Network,
): Places {
  const own = { folder, store: directoryBucket(folder), bucketUrl: bucketUrl || hotkey }
  if (typeof bucket !== 'string')
    return { ...own, bucket: s3Bucket(bucket), openBucket: bucketsIn(undefined, network) }
  return {
    ...own,
    bucket: directoryBucket(join(bucket, hotkey)),
    openBucket: bucketsIn(bucket, network),
  }
}
