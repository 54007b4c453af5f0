import { ChainError } from '../chain-error.ts'
import { integerIn, type Storage, SUBNET_PALLET } from './storage.ts'

/**
 * Where a subnet is in its tempo: the epochs, not those of this protocol, by which the chain opens
 * commits of weights.
 */
export interface Tempo {
  /** The first block of the epoch after that of the next block, if the tempo is not changed. */
  readonly nextStart: number
  /** Of an epoch, in blocks. */
  readonly length: number
  /** Epochs between a commit and its reveal. */
  readonly period: number
  /** The number of the block that was read. */
  readonly head: number
}

export async function tempoOf(storage: Storage, netuid: number): Promise<Tempo> {
  const head = Number(await storage.integer('system', 'number'))
  const tempo = Number(await storage.integer(SUBNET_PALLET, 'tempo', netuid))
  const period = Number(await storage.integer(SUBNET_PALLET, 'revealPeriodEpochs', netuid))
  // Newer runtimes count epochs. Older ones compute them from the block's number.
  if (!storage.has(SUBNET_PALLET, 'subnetEpochIndex')) {
    const length = tempo + 1
    const epoch = Math.floor((head + 1 + netuid + 1) / length)
    return { nextStart: (epoch + 1) * length - netuid - 1, length, period, head }
  }
  const answer = await storage.call('subnetInfoRuntimeApi', 'getNextEpochStartBlock', netuid)
  if (!answer || answer.isEmpty)
    throw new ChainError('NotInRuntime', 'the runtime does not say when the next epoch begins')
  const start = Number(integerIn(answer, 'the start of the next epoch'))
  // The next block may be the first of an epoch itself.
  const nextStart = head + 1 >= start ? start + tempo : start
  return { nextStart, length: tempo, period, head }
}
