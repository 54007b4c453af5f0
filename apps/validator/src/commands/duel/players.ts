import type { Snapshot } from '@affine/chain'
import type { PerSide, Side } from '@affine/envs'
import { type Asked, type Opponent, openMiner, openPlayer, type PlayerAsking } from '@affine/miners'
import { type Network, openChain, type Subnet } from '@affine/settlement'
import { type ChainOptions, type Output, openSaying, raceAbort, shown } from '@affine/terminal'
import { seatOf } from '../../examination/seat.ts'
import { agentsHere } from '../../service/agents.ts'
import { PLAYER } from '../solo.ts'

export const DUEL_PLAYER = `with --network, a miner's uid; or ${PLAYER}`

export const NUMBERS = `
A whole number is always a uid, and needs --network: then the miner plays with the chute, model and
revision that it has committed, asked as validators ask it. Chutes are asked with CHUTES_API_KEY.
For a skill of 0 or 1 write 0.0 or 1.0, random or perfect.
`

type Where = Partial<Pick<ChainOptions, 'network' | 'netuid'>>

/** The players of a duel, with the names that identify them in its folder. */
interface Players {
  readonly names: PerSide<string>
  readonly players: PerSide<Opponent>
}

/**
 * Opens the players of a duel: a URL, a built-in player, or a uid with the miner's commitment.
 * @throws RangeError for a uid without a network, for one that is not registered or has committed
 *   no miner, for a network without a uid, and on Chutes without a key; NoAnswer when a player
 *   gives no usable reply.
 */
export async function openPlayers(
  words: PerSide<string>,
  where: Where,
  { asking, screen }: { readonly asking: PlayerAsking; readonly screen: Output },
): Promise<Players> {
  const committed = await committedMiners(words, where, asking.signal)
  const open = (side: Side): Promise<Opponent> => {
    const found = committed[side]
    if (found === undefined) return openPlayer(words[side], side, asking)
    const { miner, network } = found
    screen.line(`${side}: ${shown(nameOf(found))}`, {
      type: 'player',
      side,
      uid: found.uid,
      ...miner,
    })
    return openMiner(miner, (on) => agentsHere(network, on, Number.POSITIVE_INFINITY), asking)
  }
  const name = (side: Side): string => {
    const found = committed[side]
    return found === undefined ? words[side] : nameOf(found)
  }
  const players = { champion: await open('champion'), contender: await open('contender') }
  return { names: { champion: name('champion'), contender: name('contender') }, players }
}

interface CommittedMiner {
  readonly uid: number
  readonly miner: Asked
  readonly network: Network
}

/** A miner that has committed something else is another player. */
const nameOf = ({ uid, miner: { hotkey, model, revision, chute } }: CommittedMiner): string =>
  `uid ${uid}, ${hotkey}: ${model} at revision ${revision}, chute ${chute}`

/** Reports whether a player is a whole number, whose sign and blanks do not matter. */
const isUid = (word: string): boolean => /^\s*[+-]?\d+\s*$/.test(word)

/** Returns the miners that uids among the players name. */
async function committedMiners(
  words: PerSide<string>,
  { network: place, netuid }: Where,
  signal: AbortSignal,
): Promise<Partial<PerSide<CommittedMiner | undefined>>> {
  const { champion, contender } = words
  const uid = [champion, contender].find(isUid)
  if (uid === undefined) {
    if (place === undefined && netuid === undefined) return {}
    const got = `${champion} and ${contender}`
    throw new RangeError(`"--network" and "--netuid" expected a uid as a player, got ${got}`)
  }
  if (place === undefined) {
    const advice = 'for a skill write random, perfect or a decimal such as 1.0'
    throw new RangeError(`a whole number is a uid and needs "--network", got ${uid}: ${advice}`)
  }
  const opening = openSaying(openChain, place, { firstEpoch: 0, netuid })
  await using subnet = await raceAbort(opening, signal)
  const { chain } = subnet
  const reading = chain.head().then(({ number }) => chain.snapshot(number))
  const snapshot = await raceAbort(reading, signal)
  const find = (side: Side): CommittedMiner | undefined =>
    isUid(words[side]) ? minerAt(side, words[side].trim(), { snapshot, subnet }) : undefined
  return { champion: find('champion'), contender: find('contender') }
}

/**
 * Returns the miner that a uid's hotkey has committed.
 * @throws RangeError unless the uid is registered and has committed a miner.
 */
function minerAt(
  side: Side,
  uid: string,
  { snapshot, subnet }: { readonly snapshot: Snapshot; readonly subnet: Subnet },
): CommittedMiner {
  const { chain, network } = subnet
  const neuron = snapshot.neurons.find((each) => each.uid === Number(uid))
  if (neuron === undefined)
    throw new RangeError(
      `"${side}" expected a uid that is registered on subnet ${chain.netuid}, got ${uid}`,
    )
  const { hotkey } = neuron
  const said = seatOf(hotkey, snapshot)?.said
  if (said?.kind !== 'miner') {
    const got = said ? 'what a validator wrote' : 'none that can be read'
    const wanted = `expected a uid with a miner's commitment, got ${uid}`
    throw new RangeError(`"${side}" ${wanted}: its hotkey ${hotkey} has ${got}`)
  }
  const { model, revision, chute } = said
  const { templates } = network.protocol
  return { uid: neuron.uid, network, miner: { hotkey, model, revision, chute, templates } }
}
