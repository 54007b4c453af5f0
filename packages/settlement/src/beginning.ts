import type { State } from '@affine/duel'
import { attestedState, type PublicData } from './attested-state.ts'
import { firstStateOf } from './networks.ts'
import { placeOf, snapshotBlock } from './timetable.ts'
import { type Champions, lagOf } from './warnings.ts'

/**
 * The newest state before `epoch` that more than half of the active stake attested, of the last
 * `quorumEpochs` epochs; without one, the network's first.
 * @throws Error as `attestedState`.
 */
export async function newestAttested(data: PublicData, epoch: number): Promise<State> {
  const oldest = epoch - data.network.protocol.quorumEpochs
  for (let at = epoch; at > oldest; at--) {
    const state = await attestedState(data, at)
    if (state !== null) return state
  }
  return firstStateOf(data.network)
}

/**
 * The state with which a reader begins, to see the last `epochs` that ended: the newest that was
 * attested by then.
 */
export async function readersState(data: PublicData, epochs: number): Promise<State> {
  const { protocol } = data.network
  const { epoch } = placeOf((await data.chain.head()).number, protocol)
  return newestAttested(data, epoch - epochs + 1)
}

/** What a stretch of epochs is recomputed from. */
export interface Beginning {
  readonly from: State
  /** Of the epochs right before, as many as weights may wait. */
  readonly champions: Champions
}

/**
 * Where who recomputes a network's epochs from `epoch` on begins. But for the first, it is
 * believed: what it comes to holds if somebody's recomputing of the epochs before ends with it.
 * @throws RangeError when there is no such epoch, or it has not ended. Error as `attestedState`,
 *   and when none was attested.
 */
export async function beginningAt(data: PublicData, epoch: number): Promise<Beginning> {
  const { protocol, firstEpoch } = data.network
  const open = placeOf((await data.chain.head()).number + 1, protocol).epoch
  if (open <= firstEpoch) throw new Error('the chain has not closed an epoch yet')
  if (epoch < firstEpoch || epoch >= open)
    throw new RangeError(`epoch ${epoch} expected to be one of ${firstEpoch} to ${open - 1}`)
  const lag = lagOf(await data.chain.snapshot(snapshotBlock(epoch + 1, protocol)), protocol)
  const champions: (string | undefined)[] = []
  for (let before = Math.max(epoch - lag, firstEpoch); before < epoch; before++) {
    champions.push((await governing(data, before)).champion?.hotkey)
  }
  return { from: await governing(data, epoch), champions }
}

/** The state that governed `epoch`, by those who attested it. */
async function governing(data: PublicData, epoch: number): Promise<State> {
  if (epoch === data.network.firstEpoch) return firstStateOf(data.network)
  const state = await attestedState(data, epoch + 1)
  if (state !== null) return state
  throw new Error(
    `no state of epoch ${epoch} is attested by more than half of the active stake: begin earlier`,
  )
}
