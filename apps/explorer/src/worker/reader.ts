import { httpBucket } from '@affine/blocks'
import type { State } from '@affine/duel'
import { registry } from '@affine/envs'
import { listQueue, listValidators, type QueueEntry, type ValidatorStatus } from '@affine/report'
import {
  averageBlockMs,
  createFirstState,
  listHolders,
  locateBlock,
  type OpenSubnet,
  openChain,
  type RecomputedEpoch,
  readStartState,
  recompute,
  sortForReading,
} from '@affine/settlement'
import type { NetworkFile } from '../network-file.ts'
import { type BucketHealth, createPageBuckets } from './buckets.ts'
import { type EpochAccount, EpochAccounts } from './epoch-accounts.ts'

/** The subnet and the epochs of a reading. */
export interface ReadingSpan {
  readonly genesis: string
  readonly netuid: number
  /** First epoch that is read. */
  readonly from: number
  /** Current epoch of the chain. */
  readonly to: number
  /** Whether the first state is trusted: an attested state, not the network's first. */
  readonly isTrusted: boolean
  /** Titles of the environments, or their names. */
  readonly titles: readonly string[]
}

/** The newest block that was read, and the next decision. */
export interface ChainHead {
  readonly block: number
  /** Unix time of the block in milliseconds. */
  readonly time: number
  /** Blocks until the next decision, and an estimate in seconds. */
  readonly blocksLeft: number
  readonly secondsLeft: number
}

/** Findings of a reading. */
export interface Findings {
  /** Number of epochs read so far. */
  readonly epochsRead?: number
  /** Epochs that were not sent before. */
  readonly epochs?: readonly EpochAccount[]
  /** Results of all buckets, in the order of first use. */
  readonly health?: readonly BucketHealth[]
  readonly beginning?: ReadingSpan
  readonly head?: ChainHead
  /** The queue at the chain's head, after the last epoch that was read. */
  readonly queue?: readonly QueueEntry[]
  readonly validators?: readonly ValidatorStatus[]
  /** Reason that the reading stopped or, after its end, that the chain is no longer followed. */
  readonly failure?: string
  /** Duration of the reading in milliseconds. Undefined before its end. */
  readonly ms?: number | undefined
}

/** Lanes read concurrently: while one is verified, others are downloaded. */
const CONCURRENT_LANES = 4

/** Recomputes a subnet, and answers questions about it. */
export class SubnetReader {
  readonly accounts: EpochAccounts = new EpochAccounts()
  readonly buckets: ReturnType<typeof createPageBuckets>
  readonly subnet: OpenSubnet
  readonly #settled: Pick<RecomputedEpoch, 'before' | 'lanes'>[] = []

  constructor(subnet: OpenSubnet, base: string | undefined) {
    this.subnet = subnet
    this.buckets = createPageBuckets(base)
  }

  /**
   * Recomputes every epoch, or about the newest `last`, from one copy of each block, then follows
   * the chain. Yields new epochs and the newest block and, after new epochs, the queue and the
   * validators. Ends only with a failure.
   */
  async *follow(last: number | undefined): AsyncGenerator<Findings, void> {
    const { chain, network } = this.subnet
    const data = { chain, network, openBucket: this.buckets.open }
    const first = createFirstState(network)
    let state = last === undefined ? first : await readStartState(data, last)
    const isTrusted = last !== undefined && state.epoch > first.epoch
    yield { beginning: await this.#beginning(state, isTrusted) }
    const { stats } = this.accounts
    const onSample = stats.add.bind(stats)
    const reading = { ...data, onSample, choose: null, lanesAtOnce: CONCURRENT_LANES }
    let readTo = -1
    // Without a signal, the client of a served local chain would not reconnect.
    for await (const { number } of chain.heads(new AbortController().signal)) {
      if (number <= readTo) continue
      const epochs: EpochAccount[] = []
      try {
        for await (const recomputed of recompute({ ...reading, from: state })) {
          const { before, lanes } = recomputed
          this.#settled.push({ before, lanes })
          state = recomputed.state
          epochs.push(this.accounts.finish(recomputed))
          yield { epochsRead: this.#settled.length }
        }
        const isListed = readTo < 0 || epochs.length > 0
        readTo = (await chain.head()).number
        const listed = isListed ? await this.#listed(state, readTo) : {}
        yield { epochs, head: await this.#head(readTo), ...listed }
      } catch (error) {
        return yield { epochs, failure: (error as Error).message }
      }
    }
  }

  /** Returns the URL of a file in a validator's bucket, if a page can open that bucket. */
  urlOf(validator: string, path: string): string | undefined {
    const bucket = this.buckets.health().find(({ hotkey, place }) => hotkey === validator && place)
    return bucket && `${bucket.place}/${path}`
  }

  /**
   * Resolves with the lane of a block, the state that governs its epoch, and the sources that may
   * have its blocks, in reading order.
   * @throws Error if no valid lane that was read contains the block.
   */
  async findLane(block: string) {
    const valid = this.#settled.flatMap(({ before: state, lanes }) =>
      [...lanes].flatMap(([validator, checked]) =>
        checked.ok ? { state, validator, blocks: checked.value.blocks } : [],
      ),
    )
    const lane = valid.find(({ blocks }) => blocks.includes(block))
    if (lane === undefined) throw new Error('no valid lane that was read contains this block')
    const { state, validator } = lane
    const { chain } = this.subnet
    const snapshot = await chain.snapshot((await chain.head()).number)
    const holders = sortForReading(listHolders(state.voters, snapshot), validator)
    const sources = holders.flatMap(({ hotkey, url }) => this.buckets.open(hotkey, url) ?? [])
    return { ...lane, sources }
  }

  async #beginning({ epoch: from }: State, isTrusted: boolean): Promise<ReadingSpan> {
    const { chain, network } = this.subnet
    const { epoch: to } = locateBlock((await chain.head()).number, network.protocol)
    const { genesis, netuid } = chain
    const titles = Object.keys(network.protocol.envs).map(
      (env) => registry.get(env)?.explain?.title ?? env,
    )
    return { genesis, netuid, from, to, isTrusted, titles }
  }

  async #head(block: number): Promise<ChainHead> {
    const { chain, network } = this.subnet
    const { epochBlocks } = network.protocol
    const blocksLeft = epochBlocks - ((block + 1) % epochBlocks)
    const blockMs = await averageBlockMs(chain, block)
    const secondsLeft = Math.round((blocksLeft * blockMs) / 1000)
    return { block, time: await chain.time(block), blocksLeft, secondsLeft }
  }

  /** Returns the queue and the validators at a block. */
  async #listed(state: State, block: number): Promise<Findings> {
    const { chain, network } = this.subnet
    const snapshot = await chain.snapshot(block)
    const validators = listValidators(state, snapshot, await chain.weights(block))
    return { queue: listQueue(state, snapshot, network), validators }
  }
}

/** Maximum size of a chain's export, and the timeout of its download. */
const MAX_CHAIN_BYTES = 268_435_456
const TIMEOUT_MS = 60_000

/** Name of an export. As no network has this name, the genesis identifies the chain. */
const EXPORT = 'an export'

/**
 * Opens the chain of a network.
 * @throws Error if it is unreadable.
 */
export async function openSubnet({ chain, netuid, firstEpoch }: NetworkFile): Promise<OpenSubnet> {
  const isExport = /^https?:/.test(chain) && new URL(chain).pathname.endsWith('.json')
  const text = isExport ? await readExport(chain) : ''
  const host = {
    random: (size: number) => crypto.getRandomValues(new Uint8Array(size)),
    now: () => Date.now(),
    fetch: (...args: Parameters<typeof fetch>) => fetch(...args),
    readText: async () => text,
  }
  return openChain(isExport ? EXPORT : chain, host, { netuid, firstEpoch })
}

async function readExport(url: string): Promise<string> {
  const folder = new URL('.', url)
  const name = new URL(url).pathname.slice(folder.pathname.length)
  const fresh: typeof fetch = (input, init) => fetch(input, { ...init, cache: 'no-cache' })
  const { read } = httpBucket(folder, { fetch: fresh, timeoutMs: TIMEOUT_MS })
  const bytes = await read(name, MAX_CHAIN_BYTES)
  if (bytes === null) throw new Error(`there is no chain at ${url}`)
  return new TextDecoder().decode(bytes)
}
