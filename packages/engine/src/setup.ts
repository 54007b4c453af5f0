import type { Bucket, Clock, Sample } from '@affine/blocks'
import type { Account, Chain, Head } from '@affine/chain'
import type { State } from '@affine/duel'
import type { AgentFactory, Chutes, MinerEvent, MinerTask } from '@affine/miners'
import type { CheckBlock, EpochResult, Network, OpenBucket } from '@affine/settlement'

/** The chain, key, folders, buckets, miners and clocks that a validator uses. */
export interface Setup {
  readonly chain: Chain
  readonly account: Account
  readonly network: Network
  /** Whether transactions are sent, not only reported. */
  readonly emit: boolean
  /**
   * Whether a validator without a state recomputes all epochs instead of starting from the attested
   * state. Default: false.
   */
  readonly replay?: boolean
  /** Private folder, for journals and unfinished audits. */
  readonly folder: string
  /** `folder` as a bucket, for secrets, blocks and states. Its files are never overwritten. */
  readonly store: Bucket
  /** Public bucket. */
  readonly bucket: Bucket
  /** Announced name or URL of the public bucket. */
  readonly bucketUrl: string
  readonly openBucket: OpenBucket
  /** Verifies a block. Default: in this thread. */
  readonly check?: CheckBlock
  /** Returns the agent of a miner in an epoch. */
  readonly agent: AgentFactory
  /**
   * On a platform: reports whether a miner's deployment changed since its first check in the
   * epoch.
   */
  readonly hasChanged?: Chutes['hasChanged']
  /** On a platform: reports whether a miner may be asked in the epoch. */
  readonly mayAsk?: Chutes['mayAsk']
  readonly now: () => number
  /** Clock for bucket timeouts and game clocks. Default: the system clock. */
  readonly clock?: Clock
  readonly random: (size: number) => Uint8Array
  readonly on: (event: Event) => void
}

/** A transaction of a validator: its weights, its lane's seal, or its attestation. */
export interface Transaction {
  readonly kind: 'weights' | 'seal' | 'attest'
  readonly epoch: number
}

/** A job of a validator. The job `head` starts the others. */
export type Job =
  | Transaction
  | { readonly kind: 'head' }
  /** Publishes the epoch's state. */
  | { readonly kind: 'state'; readonly epoch: number }
  /** Audits and publishes a lane. */
  | { readonly kind: 'lane'; readonly epoch: number; readonly hotkey: string }

/** The subject of a problem: a job, a miner, the account at Chutes, or the chain's node. */
export type ValidatorTask = Job | MinerTask | { readonly kind: 'node' }

/** A failure whose task was or will be repeated. */
export interface Problem {
  readonly type: 'problem'
  readonly task: ValidatorTask
  /** Set if sending failed: the chain refused the transaction, or no node answered in time. */
  readonly phase?: 'send'
  readonly error: Error
}

/** An event of a validator. No decision depends on events. */
export type Event =
  | Exclude<MinerEvent, { readonly type: 'problem' }>
  | Problem
  | { readonly type: 'head'; readonly head: Head; readonly epoch: number; readonly offset: number }
  /** The validator's starting state. */
  | { readonly type: 'state'; readonly state: State }
  | { readonly type: 'epoch'; readonly settled: EpochResult }
  | {
      readonly type: 'sample'
      readonly epoch: number
      readonly sample: Sample
      /** The champion's hotkey. */
      readonly champion: string
      /** Number of the lane's samples that are not yet taken. */
      readonly left: number
    }
  | { readonly type: 'sent'; readonly task: Transaction; readonly block: number }
  /** A transaction that a dry run does not send. */
  | { readonly type: 'withheld'; readonly task: Transaction }
  /** A task has succeeded or failed. */
  | { readonly type: 'ended'; readonly task: Job }
  /** This hotkey's bucket was too slow, and is not read for the rest of the epoch. */
  | { readonly type: 'slow'; readonly hotkey: string }
  /** A read of another validator's bucket has ended or failed. */
  | { readonly type: 'read' }
