import type { Snapshot } from '@affine/chain'
import type { PerSide, Side } from '@affine/envs'
import { type Opponent, openMiner, openPlayer, type PlayerAsking } from '@affine/miners'
import { openChain, type Subnet } from '@affine/settlement'
import { formatValue, type Output, openWithNotice, raceAbort } from '@affine/terminal'
import { findSeat } from '../../examination/seat.ts'
import { openClient } from '../../service/agents.ts'
import { PLAYER } from '../solo.ts'

export const DUEL_PLAYER = `with --network, a miner's uid; or ${PLAYER}`

type ChainChoice = { network?: string | undefined; netuid?: number | undefined }

/**
 * Opens the players of a duel: a URL, a built-in player, or a uid with the miner's commitment.
 * `names` identify the players in the duel's folder.
 * @throws RangeError for a uid without a network, for a uid that is unregistered or has no miner's
 *   commitment, for a network without a uid, and on Chutes without a key; NoAnswer if a player
 *   gives no usable reply.
 */
export async function openPlayers(
  words: PerSide<string>,
  where: ChainChoice,
  { asking, screen }: { readonly asking: PlayerAsking; readonly screen: Output },
) {
  const committed = await readCommittedMiners(words, where, asking.signal)
  const names = { ...words }
  const open = (side: Side): Promise<Opponent> => {
    const found = committed[side]
    if (found !== undefined) {
      names[side] = formatMiner(found)
      const record = { type: 'player', side, uid: found.uid, ...found.miner }
      screen.line(`${side}: ${formatValue(names[side])}`, record)
    }
    screen.wait(`waiting for a reply of the ${side}`)
    if (found === undefined) return openPlayer(words[side], side, asking)
    const { miner, network } = found
    const unbounded = Number.POSITIVE_INFINITY
    return openMiner(miner.chute, (on) => openClient(network, miner, on, unbounded), asking)
  }
  const players = { champion: await open('champion'), contender: await open('contender') }
  return { players, names }
}

type CommittedMiner = ReturnType<typeof findMiner>

/** Returns the name of a committed miner. Each of its commitments gives it another name. */
const formatMiner = ({ uid, miner: { hotkey, model, revision, chute } }: CommittedMiner): string =>
  `uid ${uid}, ${hotkey}: ${model} at revision ${revision}, chute ${chute}`

/** Reports whether a player is a whole number, ignoring its sign and blanks. */
const isUid = (word: string): boolean => /^\s*[+-]?\d+\s*$/.test(word)

async function readCommittedMiners(
  words: PerSide<string>,
  { network: place, netuid }: ChainChoice,
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
  const opening = openWithNotice(openChain, place, { firstEpoch: 0, netuid })
  await using subnet = await raceAbort(opening, signal)
  const { chain } = subnet
  const reading = chain.head().then(({ number }) => chain.snapshot(number))
  const snapshot = await raceAbort(reading, signal)
  const find = (side: Side): CommittedMiner | undefined =>
    isUid(words[side]) ? findMiner(side, words[side].trim(), { snapshot, subnet }) : undefined
  return { champion: find('champion'), contender: find('contender') }
}

/** @throws RangeError unless the uid is registered and committed a miner. */
function findMiner(
  side: Side,
  uid: string,
  { snapshot, subnet }: { readonly snapshot: Snapshot; readonly subnet: Subnet },
) {
  const { chain, network } = subnet
  const neuron = snapshot.neurons.find((each) => each.uid === Number(uid))
  if (neuron === undefined)
    throw new RangeError(
      `"${side}" expected a uid that is registered on subnet ${chain.netuid}, got ${uid}`,
    )
  const { hotkey } = neuron
  const commitment = findSeat(hotkey, snapshot)?.commitment
  if (commitment?.kind !== 'miner') {
    const got = commitment ? "a validator's commitment" : 'no readable commitment'
    const expectation = `expected a uid with a miner's commitment, got ${uid}`
    throw new RangeError(`"${side}" ${expectation}: its hotkey ${hotkey} has ${got}`)
  }
  const { model, revision, chute } = commitment
  const { templates } = network.protocol
  return { uid: neuron.uid, network, miner: { hotkey, model, revision, chute, templates } }
}
