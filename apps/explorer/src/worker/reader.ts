import { httpBucket, type Sample } from '@affine/blocks'
import type { Snapshot } from '@affine/chain'
import type { State } from '@affine/duel'
import { registry } from '@affine/envs'
import { listQueue, type QueueEntry } from '@affine/report'
import {
  createFirstState,
  listHolders,
  locateBlock,
  type OpenSubnet,
  openChain,
  type RecomputedEpoch,
  readStartState,
  recompute,
  type SamplePlace,
  sortForReading,
} from '@affine/settlement'
import type { NetworkFile } from '../network-file.ts'
import { type BucketHealth, PageBuckets } from './buckets.ts'
import { type EpochAccount, EpochAccounts } from './epoch-accounts.ts'
import type { ProvenLane } from './evidence.ts'

/** The subnet and the epochs of a reading. */
export interface ReadingSpan {
  readonly genesis: string
  readonly netuid: number
  readonly height: number
  /** First epoch of the network. */
  readonly firstEpoch: number
  /** First epoch read; current epoch of the chain. */
  readonly from: number
  readonly to: number
  /** Whether the first state is trusted, and not the network's first. */
  readonly isTrusted: boolean
  /** Titles of the environments, or their names. */
  readonly titles: readonly string[]
}

/** Progress of a reading: epochs and files read, challenges replayed. */
export interface ReadingProgress {
  readonly epochs: number
  readonly files: number
  readonly challenges: number
}

/** Lanes read concurrently: while one is verified, others are downloaded. */
const CONCURRENT_LANES = 4

/** Recomputes a subnet, and stores the data to answer questions about it. */
export class SubnetReader {
  readonly accounts: EpochAccounts = new EpochAccounts()
  readonly #buckets: PageBuckets
  readonly subnet: OpenSubnet
  readonly #settled: Pick<RecomputedEpoch, 'before' | 'lanes'>[] = []

  private constructor(opened: OpenSubnet, buckets: PageBuckets) {
    this.subnet = opened
    this.#buckets = buckets
  }

  /**
   * Opens the network of a file.
   * @throws Error if the chain is unreadable.
   */
  static async open(file: NetworkFile, isLocal: boolean): Promise<SubnetReader> {
    return new SubnetReader(await openSubnet(file), new PageBuckets(file.buckets, isLocal))
  }

  /** Recomputes every epoch from one copy of each block, and yields its account. */
  async *epochs(
    last: number | undefined,
    begin: (beginning: ReadingSpan) => void,
  ): AsyncGenerator<EpochAccount, readonly QueueEntry[]> {
    const { chain, network } = this.subnet
    const data = { chain, network, openBucket: this.#buckets.open }
    const first = createFirstState(network)
    const from = last === undefined ? first : await readStartState(data, last)
    begin(await this.#beginning(from, last !== undefined && from.epoch > first.epoch))
    let state = from
    const onSample = (sample: Sample, place: SamplePlace): void => this.accounts.add(sample, place)
    const reading = { choose: null, lanesAtOnce: CONCURRENT_LANES }
    for await (const recomputed of recompute({ ...data, from, onSample, ...reading })) {
      const { before, lanes } = recomputed
      this.#settled.push({ before, lanes })
      state = recomputed.state
      yield this.accounts.finish(recomputed)
    }
    const snapshot = await this.#snapshot()
    return listQueue(state, snapshot, network)
  }

  soFar(): ReadingProgress {
    const epochs = this.#settled.length
    const files = this.health().reduce((sum, bucket) => sum + bucket.files, 0)
    return { epochs, files, challenges: this.accounts.challenges }
  }

  /** Returns the states of buckets, in the order of first use. */
  health(): readonly BucketHealth[] {
    return this.#buckets.health()
  }

  /** Returns the URL of a file in a validator's bucket, if a page can open that bucket. */
  urlOf(validator: string, path: string): string | undefined {
    const bucket = this.health().find(({ hotkey, place }) => hotkey === validator && place)
    return bucket && `${bucket.place}/${path}`
  }

  /** Returns the lane of a block, and the sources of its blocks in the order to read them. */
  async findLane(block: string): Promise<ProvenLane> {
    const all = this.#settled.flatMap(({ before: state, lanes }) =>
      [...lanes].map(([validator, checked]) => ({ state, validator, checked })),
    )
    const lane = all.find(({ checked }) => checked.ok && checked.value.blocks.includes(block))
    if (lane === undefined) throw new Error('no valid lane that was read contains this block')
    const { state, validator } = lane
    const holders = sortForReading(listHolders(state.voters, await this.#snapshot()), validator)
    const sources = holders.flatMap(({ hotkey, url }) => this.#buckets.open(hotkey, url) ?? [])
    return { chain: this.subnet.chain, ...lane, sources }
  }

  async #beginning({ epoch: from }: State, isTrusted: boolean): Promise<ReadingSpan> {
    const { chain, network } = this.subnet
    const { number: height } = await chain.head()
    const { epoch: to } = locateBlock(height, network.protocol)
    const { genesis, netuid } = chain
    const titles = Object.keys(network.protocol.envs).map(
      (env) => registry.get(env)?.explain?.title ?? env,
    )
    const { firstEpoch } = network
    return { genesis, netuid, height, firstEpoch, from, to, isTrusted, titles }
  }

  async #snapshot(): Promise<Snapshot> {
    const { chain } = this.subnet
    return chain.snapshot((await chain.head()).number)
  }
}

/** Limit and timeout of an exported chain. */
const MAX_CHAIN_BYTES = 268_435_456
const TIMEOUT_MS = 60_000

/** Name of an export. It is not the name of a network, so the genesis identifies it. */
const EXPORT = 'an export'

/**
 * Opens the chain of a network.
 * @throws Error if it is unreadable.
 */
async function openSubnet({ chain, netuid, firstEpoch }: NetworkFile): Promise<OpenSubnet> {
  const isExport = /^https?:/.test(chain) && new URL(chain).pathname.endsWith('.json')
  const text = isExport ? await readExport(chain) : ''
  const host = {
    random: (size: number) => crypto.getRandomValues(new Uint8Array(size)),
    now: () => Date.now(),
    fetch: (...asked: Parameters<typeof fetch>) => fetch(...asked),
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
