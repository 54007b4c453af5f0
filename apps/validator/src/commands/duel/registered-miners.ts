import type { Snapshot } from '@affine/chain'
import { type Miner, minerOf } from '@affine/duel'
import { LOOPBACK } from '@affine/miners'
import { commitmentsOf, openChain } from '@affine/settlement'
import { NODE_HOST } from '@affine/settlement/node'

/** Of the two roles. */
export type Pair<Value> = readonly [champion: Value, contender: Value]

/**
 * Whom two uids name at a chain's head. A miner is asked as validators ask it: on loopback, where
 * its network is a local one, and nowhere else that it wrote. Protocol §5.4.
 * @throws RangeError for what is no uid, and for a network with a platform; Error for who cannot be
 *   asked.
 */
export async function minersOf(
  network: string,
  netuid: number | undefined,
  [champion, contender]: Pair<string>,
): Promise<Pair<Miner>> {
  await using opened = await openChain(network, NODE_HOST, { netuid, firstEpoch: 0 })
  if (opened.network.platform !== 'loopback')
    throw new RangeError(`"--network" expected a local one, got ${JSON.stringify(network)}`)
  const { number } = await opened.chain.head()
  const snapshot = await opened.chain.snapshot(number)
  return [minerAt(champion, snapshot), minerAt(contender, snapshot)]
}

function minerAt(uid: string, snapshot: Snapshot): Miner {
  if (!/^\d{1,5}$/.test(uid))
    throw new RangeError(`with "--network" expected a uid, got ${JSON.stringify(uid)}`)
  const neuron = snapshot.neurons.find((each) => each.uid === Number(uid))
  const hotkey = neuron?.hotkey ?? 'not registered'
  const said = commitmentsOf(snapshot).get(hotkey)
  if (said?.kind !== 'miner') throw new Error(`uid ${uid} (${hotkey}) is no miner: see af queue`)
  if (LOOPBACK.test(said.chute)) return minerOf({ ...said, hotkey })
  const advice = 'only URLs on this machine are asked'
  throw new Error(`uid ${uid} has the chute "${said.chute}", and ${advice}`)
}
