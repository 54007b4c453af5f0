import { ChainError } from './chain.ts'
import type { Storage } from './storage.ts'

/** Where a subnet is in its tempo, the epochs by which the chain counts commits and reveals. */
export interface Tempo {
  /** The epoch of the next block. */
  readonly epoch: number
  /** The block with which the epoch after that begins, if nothing is changed. */
  readonly nextStart: number
  readonly length: number
  /** Epochs between a commit and its reveal. */
  readonly period: number
  readonly head: number
}

/** The pallet of subnets. */
export const MODULE = 'subtensorModule'

/** Does the runtime count epochs? Older ones compute them from the block's number. */
export const countsEpochs = (storage: Storage): boolean => storage.has(MODULE, 'subnetEpochIndex')

export async function tempoOf(storage: Storage, netuid: number): Promise<Tempo> {
  const number = async (pallet: string, item: string, ...keys: number[]) =>
    Number(await storage.query(pallet, item, ...keys))
  const head = await number('system', 'number')
  const tempo = await number(MODULE, 'tempo', netuid)
  const period = await number(MODULE, 'revealPeriodEpochs', netuid)
  if (countsEpochs(storage)) {
    const answer = await storage.call('subnetInfoRuntimeApi', 'getNextEpochStartBlock', netuid)
    if (!answer || answer.isEmpty)
      throw new ChainError('NotInRuntime', 'the runtime does not say when the next epoch begins')
    const index = await number(MODULE, 'subnetEpochIndex', netuid)
    const begins = head + 1 >= Number(answer) // the next block is the first of an epoch: the counter is one behind
    const nextStart = Number(answer) + (begins ? tempo : 0)
    return { epoch: index + Number(begins), nextStart, length: tempo, period, head }
  }
  const length = tempo + 1
  const epoch = Math.floor((head + 1 + netuid + 1) / length)
  return { epoch, nextStart: (epoch + 1) * length - netuid - 1, length, period, head }
}
