import { blockHash, challengeVerdict, type Sample } from '../../packages/blocks/src/index.ts'
import type { Event } from '../../packages/engine/src/setup.ts'
import { AlteredFile } from '../../packages/node/src/disk.ts'
import { canonicalize, type Json } from '../../packages/prng/src/index.ts'
import type { Recomputed } from '../../packages/settlement/src/index.ts'
import type { Seat } from './seat.ts'

/** Something happened that must never happen: the promise that was broken, and where. */
export interface Violation {
  readonly promise: Promised
  readonly epoch?: number
  /** The index of the validator that broke it, if one did. */
  readonly validator?: number
  readonly detail?: unknown
}

/** Called with each broken promise. */
export type Break = (violation: Violation) => void

/** What is promised of a subnet. The check of each is described where it is made. */
type Promised =
  | 'STRANGERS_DECIDE'
  | 'EPOCHS_END'
  | 'ALL_GET_ON'
  | 'ONE_STATE'
  | 'HONEST_UNBLAMED'
  | 'VOID_UNATTESTED'
  | 'LIARS_UNCOUNTED'
  | 'NOT_FROZEN'
  | 'HONEST_COUNT'
  | 'FAR_WORSE_FAIL'
  | 'WEAKER_FAIL'
  | 'FILES_UNALTERED'
  | 'ONE_BLOCK_A_HEIGHT'
  | 'SAMPLES_KEPT'
  | 'ACTIVE_VOTE'
  | 'ONE_TURN'
  | 'TURN_NOT_QUEUED'
  | 'TURN_UNCHANGED'
  | 'FROZEN_DUEL_ENDS'
  | 'FROZEN_IS_IDLE'
  | 'WON_IS_CLOSED'
  | 'DUELS_BEGIN'
  | 'THRONE_IS_WON'
  | 'ALL_HEARD'
  | 'RATIO_BOUNDED'
  | 'RECORD_KEPT'
  | 'DUEL_ENDS'

/** Samples by their names, as text. */
export type Samples = Map<string, string>

const LEADS = { win: 1, tie: 0, loss: -1 } as const

/** In a lane no two samples have the same name. */
export const nameOf = (sample: Sample): string =>
  'miner' in sample ? `${sample.challengeId} ${sample.miner}` : sample.challengeId

export const textOf = (value: unknown): string => canonicalize(value as Json)

/** Remembers what honest validators acknowledged and signed, and checks that they keep to it. */
export class Witness {
  readonly #break: Break
  /** By seat and epoch, the samples that the journal acknowledged. */
  readonly #acknowledged = new Map<string, Samples>()
  /** By seat, epoch and height, the hash of the block that was signed. */
  readonly #signed = new Map<string, string>()
  /** By epoch, the challenges that contenders won and did not lose. */
  readonly #leads = new Map<number, number>()
  /** By challenge, the champion's reward, or those of the contenders heard of before it. */
  readonly #rewards = new Map<string, number | readonly number[]>()

  constructor(onBreak: Break) {
    this.#break = onBreak
  }

  /** Takes an event of a validator. */
  hear({ index, isLiar, hasLostDisk }: Seat, event: Event): void {
    if (isLiar) return
    if (event.type === 'sample') {
      const key = `${index} ${event.epoch}`
      const { sample, champion } = event
      this.#addLead(event.epoch, sample, champion)
      const name = nameOf(sample)
      const samples: Samples = this.#acknowledged.get(key) ?? new Map()
      // A sample that is played again was lost. The first one is kept, so that the check finds
      // this.
      if (!samples.has(name)) samples.set(name, textOf(sample))
      this.#acknowledged.set(key, samples)
    }
    if (event.type === 'problem' && !hasLostDisk && event.error instanceof AlteredFile)
      this.#break({ promise: 'FILES_UNALTERED', validator: index, detail: event.error.message })
  }

  #addLead(epoch: number, sample: Sample, champion: string): void {
    const add = (rewards: { champion: number; contender: number }): void => {
      this.#leads.set(epoch, this.leadIn(epoch) + LEADS[challengeVerdict(rewards)])
    }
    if (!('miner' in sample)) {
      add({ champion: sample.champion.reward, contender: sample.contender.reward })
      return
    }
    const { challengeId, miner, reward } = sample
    const known = this.#rewards.get(challengeId) ?? []
    if (miner === champion) {
      this.#rewards.set(challengeId, reward)
      for (const contender of [known].flat()) add({ champion: reward, contender })
    } else if (typeof known === 'number') {
      add({ champion: known, contender: reward })
    } else {
      this.#rewards.set(challengeId, [...known, reward])
    }
  }

  /** How many more challenges contenders won than they lost in an epoch, in all honest lanes. */
  leadIn(epoch: number): number {
    return this.#leads.get(epoch) ?? 0
  }

  /** Forgets what a validator acknowledged, since its disk is lost. */
  forget({ index }: Seat): void {
    for (const key of this.#acknowledged.keys())
      if (key.startsWith(`${index} `)) this.#acknowledged.delete(key)
  }

  /**
   * Takes a block that a validator writes into its own store. At each height it may sign only one
   * block.
   */
  see({ index, isLiar, account }: Seat, block: Uint8Array): void {
    const [line = ''] = Buffer.from(block).toString().split('\n', 1)
    const { validator, epoch, height } = JSON.parse(line)
    if (isLiar || validator !== account.hotkey) return
    const key = `${index} ${epoch} ${height}`
    const hash = blockHash(Buffer.from(line))
    const known = this.#signed.get(key)
    this.#signed.set(key, hash)
    if (known !== undefined && known !== hash)
      this.#break({ promise: 'ONE_BLOCK_A_HEIGHT', epoch, validator: index })
  }

  /** Checks that every acknowledged sample is in the journal, and in the lane if there is one. */
  checkSamples(
    { index, account, disk }: Seat,
    { epoch, lanes }: Recomputed,
    found: ReadonlyMap<string, Samples>,
  ): void {
    const journal = disk.peek(`journal/${epoch}.jsonl`)?.toString() ?? ''
    const isWhole = lanes.get(account.hotkey)?.ok === true
    const lane = isWhole ? found.get(account.hotkey) : undefined
    for (const [name, sample] of this.#acknowledged.get(`${index} ${epoch}`) ?? []) {
      const isKept = journal.includes(sample) && (!lane || lane.get(name) === sample)
      if (!isKept) this.#break({ promise: 'SAMPLES_KEPT', epoch, validator: index, detail: sample })
    }
  }
}
