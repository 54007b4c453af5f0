import type { Snapshot } from '@affine/chain'
import { type Miner, minerOf } from '@affine/duel'
import { LOOPBACK } from '@affine/miners'
import { commitmentsOf, openChain } from '@affine/settlement'
import { openSaying } from '@affine/terminal'

/** One value for each of the two roles. */
export type Pair<Value> = readonly [champion: Value, contender: Value]

/**
 * The miners with two uids at a chain's head. A miner is asked as validators ask it: on a local
 * network, on loopback only, whatever address it committed. Protocol §5.4.
 * @throws RangeError for an invalid uid, and for a network with a platform; Error for a miner that
 *   cannot be asked.
 */
export async function minersOf(
  network: string,
  netuid: number | undefined,
  [champion, contender]: Pair<string>,
): Promise<Pair<Miner>> {
  await using opened = await openSaying(openChain, network, { netuid, firstEpoch: 0 })
  if (opened.network.platform !== 'loopback')
    throw new RangeError(`"--network" expected a local network, got ${JSON.stringify(network)}`)
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
  if (said?.kind !== 'miner')
    throw new Error(`uid ${uid} (${hotkey}) is not a miner: see af status`)
  if (LOOPBACK.test(said.chute)) return minerOf({ ...said, hotkey })
  const advice = 'only URLs on this machine are asked'
  throw new Error(`uid ${uid} has the chute "${said.chute}", and ${advice}`)
}
