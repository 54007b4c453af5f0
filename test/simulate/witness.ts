import { compareRewards, hashBlock, type Sample } from '../../packages/blocks/src/index.ts'
import type { Event } from '../../packages/engine/src/setup.ts'
import { AlteredFile } from '../../packages/node/src/disk.ts'
import { canonicalize, type Json } from '../../packages/prng/src/index.ts'
import type { RecomputedEpoch } from '../../packages/settlement/src/index.ts'
import type { Seat } from './seat.ts'

/** A broken promise and its place. */
export interface Violation {
  /** The name of the promise, which is described at its check. */
  readonly promise: string
  readonly epoch?: number
  /** The index of the validator that broke the promise, if a validator did. */
  readonly validator?: number
  readonly detail?: unknown
}

/** Called with each broken promise. */
export type Break = (violation: Violation) => void

/** Samples as text by name. */
export type Samples = Map<string, string>

const LEADS = { win: 1, tie: 0, loss: -1 } as const

/** Returns the name of a sample, unique in its lane. */
export const nameOf = (sample: Sample): string =>
  'miner' in sample ? `${sample.challengeId} ${sample.miner}` : sample.challengeId

export const textOf = (value: unknown): string => canonicalize(value as Json)

/** Records honest validators' acknowledged samples and signed blocks, and checks both. */
export class Witness {
  readonly #break: Break
  /** Samples that the journal acknowledged by seat and epoch. */
  readonly #acknowledged = new Map<string, Samples>()
  /** Hashes of signed blocks by seat, epoch and height. */
  readonly #signed = new Map<string, string>()
  /** The champion, and the samples in the order of play, by epoch. */
  readonly #played = new Map<number, { readonly champion: string; readonly samples: Sample[] }>()

  constructor(onBreak: Break) {
    this.#break = onBreak
  }

  /** Records an event of a validator. */
  hear({ index, isLiar, hasLostDisk }: Seat, event: Event): void {
    if (isLiar) return
    if (event.type === 'sample') {
      const key = `${index} ${event.epoch}`
      const { sample, champion } = event
      const played = this.#played.get(event.epoch) ?? { champion, samples: [] }
      played.samples.push(sample)
      this.#played.set(event.epoch, played)
      const name = nameOf(sample)
      const samples: Samples = this.#acknowledged.get(key) ?? new Map()
      // A sample is played again only if lost. The first one stays, so that `checkSamples` fails.
      if (!samples.has(name)) samples.set(name, textOf(sample))
      this.#acknowledged.set(key, samples)
    }
    if (event.type === 'problem' && !hasLostDisk && event.error instanceof AlteredFile)
      this.#break({ promise: 'FILES_UNALTERED', validator: index, detail: event.error.message })
  }

  /** Returns how many more challenges contenders won than lost in an epoch, in all honest lanes. */
  leadIn(epoch: number): number {
    const { champion = '', samples = [] } = this.#played.get(epoch) ?? {}
    const episodes = samples.filter((sample) => 'miner' in sample)
    const own = episodes.filter(({ miner }) => miner === champion)
    const rewards = new Map(own.map(({ challengeId, reward }) => [challengeId, reward]))
    const pairs = samples.flatMap((sample) => {
      if (!('miner' in sample))
        return { champion: sample.champion.reward, contender: sample.contender.reward }
      const known = rewards.get(sample.challengeId)
      if (sample.miner === champion || known === undefined) return []
      return { champion: known, contender: sample.reward }
    })
    return pairs.reduce((sum, pair) => sum + LEADS[compareRewards(pair)], 0)
  }

  /** Drops the acknowledged samples of a validator whose disk is lost. */
  forget({ index }: Seat): void {
    for (const key of this.#acknowledged.keys())
      if (key.startsWith(`${index} `)) this.#acknowledged.delete(key)
  }

  /** Checks a block that a validator writes. It may sign one block per epoch and height. */
  see({ index, isLiar, account }: Seat, block: Uint8Array): void {
    const [line = ''] = Buffer.from(block).toString().split('\n', 1)
    const { validator, epoch, height } = JSON.parse(line)
    if (isLiar || validator !== account.hotkey) return
    const key = `${index} ${epoch} ${height}`
    const hash = hashBlock(Buffer.from(line))
    const known = this.#signed.get(key)
    this.#signed.set(key, hash)
    if (known !== undefined && known !== hash)
      this.#break({ promise: 'ONE_BLOCK_A_HEIGHT', epoch, validator: index })
  }

  /** Checks that the journal and a valid lane have every acknowledged sample of the lane. */
  checkSamples(
    { index, account, disk }: Seat,
    { epoch, lanes }: RecomputedEpoch,
    found: ReadonlyMap<string, Samples>,
  ): void {
    const journal = disk.peek(`journal/${epoch}.jsonl`)?.toString() ?? ''
    const isWhole = lanes.get(account.hotkey)?.ok === true
    const lane = isWhole ? found.get(account.hotkey) : undefined
    for (const [name, sample] of this.#acknowledged.get(`${index} ${epoch}`) ?? []) {
      const isStored = journal.includes(sample) && (!lane || lane.get(name) === sample)
      if (!isStored)
        this.#break({ promise: 'SAMPLES_KEPT', epoch, validator: index, detail: sample })
    }
  }
}
