import type { Bucket, Clock, Sample } from '@affine/blocks'
import type { Account, Chain, Head } from '@affine/chain'
import type { State } from '@affine/duel'
import type { AgentOf, Chutes, MinerEvent, MinerTask } from '@affine/miners'
import type { CheckBlock, Network, OpenBucket, Settled } from '@affine/settlement'

/**
 * Everything a validator needs from outside: chain, key, disk, miners, peers, clock, randomness.
 */
export interface Setup {
  readonly chain: Chain
  readonly account: Account
  readonly network: Network
  /** Does it send transactions? If not, it reports what it would send. */
  readonly emit: boolean
  /**
   * Without a state of its own: does it recompute all epochs, instead of starting from the state
   * that the others attested?
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
  readonly openBucket: OpenBucket
  /** Audits blocks, as in other threads. If it is missing, this thread does it. */
  readonly check?: CheckBlock
  /** Gives the agent of a miner, in an epoch, with the time for a reply. */
  readonly agent: AgentOf
  /** On a platform: was what a miner runs changed since it was first asked in this epoch? */
  readonly hasChanged?: Chutes['hasChanged']
  /** On a platform: may a miner be asked in this epoch, by what it runs? */
  readonly mayAsk?: Chutes['mayAsk']
  readonly now: () => number
  /** The machine's if left out: how long buckets are waited for, and the clocks of games. */
  readonly clock?: Clock
  readonly random: (size: number) => Uint8Array
  readonly on: (event: Event) => void
}

/** What a validator puts on chain in an epoch: its weights, its lane's seal, its attestation. */
export interface Transaction {
  readonly kind: 'weights' | 'seal' | 'attest'
  readonly epoch: number
}

/** What a validator does. A head starts `head`, which starts the others. */
export type Job =
  | Transaction
  | { readonly kind: 'head' }
  /** Publishes the epoch's state in the own bucket. */
  | { readonly kind: 'state'; readonly epoch: number }
  /** Audits and publishes the lane of a validator. */
  | { readonly kind: 'lane'; readonly epoch: number; readonly hotkey: string }

/** What a problem is about: a job, a miner, the account at Chutes, or the chain's node. */
export type ValidatorTask = Job | MinerTask | { readonly kind: 'node' }

/** A failure that was or will be tried again. */
export interface Problem {
  readonly type: 'problem'
  readonly task: ValidatorTask
  /** Set if the chain refused the transaction of the task. */
  readonly phase?: 'send'
  readonly error: Error
}

/** What happens in a validator, for people, logs and metrics. Nothing is decided from it. */
export type Event =
  | Exclude<MinerEvent, { readonly type: 'problem' }>
  | Problem
  | { readonly type: 'head'; readonly head: Head; readonly epoch: number; readonly offset: number }
  /** How old the last head's block was when it came, by the clock here. */
  | { readonly type: 'made'; readonly ageMs: number }
  /** The state from which it starts. */
  | { readonly type: 'state'; readonly state: State }
  | { readonly type: 'epoch'; readonly settled: Settled }
  | {
      readonly type: 'sample'
      readonly epoch: number
      readonly sample: Sample
      /** The champion's hotkey. */
      readonly champion: string
      readonly left: number
    }
  | { readonly type: 'sent'; readonly task: Transaction; readonly block: number }
  /** In a dry run. */
  | { readonly type: 'withheld'; readonly task: Transaction }
  /** A task has succeeded or failed. */
  | { readonly type: 'ended'; readonly task: Job }
  /** The bucket of this hotkey was waited for so long that it is not asked for a while. */
  | { readonly type: 'slow'; readonly hotkey: string }
  /** A bucket of another validator answered, or failed to. */
  | { readonly type: 'read' }
