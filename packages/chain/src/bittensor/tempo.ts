import { ChainError } from '../chain-error.ts'
import { type Storage, SUBNET_PALLET } from './storage.ts'

/**
 * Where a subnet is in its tempo: the epochs, not those of this protocol, by which the chain counts
 * commits and reveals of weights.
 */
export interface Tempo {
  /** The epoch of the next block. */
  readonly epoch: number
  /** The first block of the epoch after that, if the tempo is not changed. */
  readonly nextStart: number
  /** Of an epoch, in blocks. */
  readonly length: number
  /** Epochs between a commit and its reveal. */
  readonly period: number
  /** The number of the block that was read. */
  readonly head: number
}

/** Does the runtime count epochs? Older runtimes compute them from the block's number. */
export const countsEpochs = (storage: Storage): boolean =>
  storage.has(SUBNET_PALLET, 'subnetEpochIndex')

export async function tempoOf(storage: Storage, netuid: number): Promise<Tempo> {
  const head = Number(await storage.query('system', 'number'))
  const tempo = Number(await storage.query(SUBNET_PALLET, 'tempo', netuid))
  const period = Number(await storage.query(SUBNET_PALLET, 'revealPeriodEpochs', netuid))
  if (countsEpochs(storage)) {
    const { epoch, nextStart } = await countedEpoch(storage, netuid, { head, tempo })
    return { epoch, nextStart, length: tempo, period, head }
  }
  const length = tempo + 1
  const epoch = Math.floor((head + 1 + netuid + 1) / length)
  return { epoch, nextStart: (epoch + 1) * length - netuid - 1, length, period, head }
}

async function countedEpoch(
  storage: Storage,
  netuid: number,
  { head, tempo }: { readonly head: number; readonly tempo: number },
): Promise<Pick<Tempo, 'epoch' | 'nextStart'>> {
  const answer = await storage.call('subnetInfoRuntimeApi', 'getNextEpochStartBlock', netuid)
  if (!answer || answer.isEmpty)
    throw new ChainError('NotInRuntime', 'the runtime does not say when the next epoch begins')
  const index = Number(await storage.query(SUBNET_PALLET, 'subnetEpochIndex', netuid))
  const start = Number(answer)
  // If the next block is the first of an epoch, the counter is one behind.
  if (head + 1 >= start) return { epoch: index + 1, nextStart: start + tempo }
  return { epoch: index, nextStart: start }
}
