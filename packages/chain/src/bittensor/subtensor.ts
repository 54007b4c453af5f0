import { bytesToHex } from '@noble/hashes/utils.js'
import type { Account } from '../account.ts'
import type { Chain, Head, OpenAt, Snapshot, UidWeights } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { MAX_FIELD_BYTES, MAX_FIELDS } from '../commitment.ts'
import { createCall, Sender } from './extrinsic.ts'
import { FinalBlocks } from './final-blocks.ts'
import { readSnapshot } from './metagraph.ts'
import type { Nodes, WeightMeans } from './nodes.ts'
import { runtimeFaults } from './runtime-faults.ts'
import { parseInteger, type Runtime, readEntries, readInteger } from './storage.ts'
import { createWeightsCall, parseRow } from './weight-calls.ts'

export type SubtensorOptions = WeightMeans & Nodes

export type Subtensor = Chain & { close(): Promise<void> }

/** Maximum number of cached snapshots. A validator reads the same few repeatedly. */
const MAX_SNAPSHOTS = 8

/**
 * Connects to a subnet of Bittensor's chain. The runtime's metadata decides which calls are used.
 * @throws ChainError, as a rejection: `Unreachable` if no node answers, `WrongGenesis`,
 *   `SubnetNotExists`, `NotInRuntime`, `BadReply`.
 */
export async function subtensor(options: SubtensorOptions): Promise<Subtensor> {
  const chain = new SubtensorChain(options)
  try {
    await chain.snapshot((await chain.head()).number)
    return chain
  } catch (error) {
    await chain.close()
    throw error
  }
}

/**
 * Opens a subnet by the URLs of nodes.
 * @throws RangeError, as a rejection, if there is no netuid.
 */
export const openNodes: OpenAt = async (name, { places: endpoints, netuid, ...opening }) => {
  if (netuid === undefined)
    throw new RangeError(`"netuid" is required: ${name} does not imply a subnet`)
  return subtensor({ ...opening, endpoints, netuid })
}

class SubtensorChain extends FinalBlocks implements Subtensor {
  readonly netuid: number
  readonly #means: WeightMeans
  readonly #sender = new Sender(this)
  readonly #snapshots = new Map<number, Promise<Snapshot>>()

  constructor(options: SubtensorOptions) {
    super(options)
    this.netuid = options.netuid
    this.#means = options
  }

  async time(block: number): Promise<number> {
    return this.#at(block, async (runtime) => Number(await readInteger(runtime, 'timestamp.now')))
  }

  async snapshot(block: number): Promise<Snapshot> {
    const cached = this.#snapshots.get(block)
    if (cached) return cached
    const reading = this.#at(block, (runtime, head) => readSnapshot(runtime, head, this.netuid))
    this.#snapshots.set(block, reading)
    reading.catch(() => this.#snapshots.delete(block))
    for (const old of [...this.#snapshots.keys()].slice(0, -MAX_SNAPSHOTS))
      this.#snapshots.delete(old)
    return reading
  }

  async weights(block: number): Promise<Readonly<Record<string, UidWeights>>> {
    const { neurons } = await this.snapshot(block)
    return this.#at(block, async (runtime) => {
      const rows = await readEntries(runtime, 'subtensorModule.weights', this.netuid)
      const byHotkey = rows.flatMap(([uid, row]) => {
        const neuron = neurons[Number(parseInteger(uid, 'a uid'))]
        return neuron ? [[neuron.hotkey, parseRow(row)] as const] : []
      })
      return Object.fromEntries(byHotkey)
    })
  }

  async commit(account: Account, fields: readonly Uint8Array[], until?: number): Promise<Head> {
    if (fields.length > MAX_FIELDS) throw new ChainError('TooManyFieldsInCommitmentInfo')
    if (fields.some(({ length }) => length > MAX_FIELD_BYTES)) throw new ChainError('FieldTooLong')
    const data = fields.map((field) => ({ [`Raw${field.length}`]: `0x${bytesToHex(field)}` }))
    const call = createCall('commitments.setCommitment', this.netuid, { fields: data })
    return this.#sender.send(account, call, until)
  }

  async setWeights(account: Account, weights: UidWeights, until?: number): Promise<Head> {
    const { number } = await this.head()
    const settings = await this.snapshot(number)
    const { hotkey } = account
    const call = await this.#at(number, (runtime) =>
      createWeightsCall(runtime, { ...this.#means, settings }, { hotkey, weights }),
    )
    return this.#sender.send(account, call, until)
  }

  runtimeFaults(): Promise<readonly string[]> {
    return this.use(async (api) => runtimeFaults(api))
  }

  /** Reads the state at the end of a final block. Protocol §5.1. */
  async #at<T>(block: number, task: (runtime: Runtime, head: Head) => Promise<T>): Promise<T> {
    const hash = await this.blockHash(block)
    return this.use(async (api) => {
      try {
        const { query, call, consts } = await api.at(`0x${hash}`)
        return await task({ query, call, consts, tx: api.tx }, { number: block, hash })
      } catch (error) {
        if (!isMissingState(error)) throw error
        const detail = `the node lacks the state of block ${block}: name an archive node's endpoint`
        throw new ChainError('StateDiscarded', detail, { cause: error })
      }
    })
  }
}

const isMissingState = (error: unknown): boolean =>
  /discarded|header|unknown ?block/i.test((error as Error).message)
