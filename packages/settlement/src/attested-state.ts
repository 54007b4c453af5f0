import { type Clock, statePath } from '@affine/blocks'
import { firstState, parseState, type State, stateRoot, votingStakes } from '@affine/duel'
import { digestOfText, type Hash } from '@affine/prng'
import type { OpenBucket, Source } from './bucket-reader.ts'
import { tryRead, failureText } from './copy.ts'
import { inTurn } from './in-turn.ts'
import { findConstants, type Network, type Subnet } from './networks.ts'
import {
  commitmentsOf,
  duelSnapshot,
  type Holder,
  placeOf,
  recipientOf,
  sealBlock,
  snapshotBlock,
  snapshotOf,
} from './on-chain.ts'
import { computeLag, type Recipients } from './on-chain-faults.ts'

/** A few hundred hotkeys take well under this. */
export const STATE_BYTES: number = 8 * 1024 * 1024

/** Of the buckets that lack a state, so many are named. */
const MAX_NAMED = 4

/** A subnet, and how the buckets of its validators are opened. */
export interface PublicData extends Subnet {
  readonly openBucket: OpenBucket
  /** The machine's if left out. */
  readonly clock?: Clock | undefined
}

/**
 * The state that governed the epoch before `epoch`, if validators with more than half of the active
 * stake attested one root; else null. Active is the stake whose validator's slot holds a seal or an
 * attestation of one of the last `quorumEpochs` epochs. Stake that is borrowed for one block does
 * not count. Protocol §9.4. The state is believed, not recomputed. Asks the validators that
 * attested it in turn, until one serves it.
 * @throws Error when they did, but no bucket of theirs serves the state.
 */
export async function readAttested(data: PublicData, epoch: number): Promise<State | null> {
  if (epoch <= data.network.firstEpoch) return null
  const attested = await findAttested(data, epoch)
  if (attested === undefined) return null
  const { root, holders } = attested
  // Everybody has it, so nobody serves it.
  const first = firstStateOf(data.network)
  if (root === stateRoot(first)) return first
  const path = statePath(epoch - 1)
  const tried: string[] = []
  const read = async ({ hotkey, url }: Holder): Promise<State | null> => {
    const state = await readState(data.openBucket(hotkey, url), path, root)
    if (typeof state !== 'string') return state
    tried.push(`${hotkey} at ${url}: ${state}`)
    return null
  }
  const found = await inTurn(holders, { ask: read, clock: data.clock })
  if (found !== null) return found
  const told = tried.sort().slice(0, MAX_NAMED)
  if (told.length < tried.length) told.push(`and ${tried.length - told.length} more`)
  const places = told.join('; ')
  const advice = 'check that "buckets" names the right folder, or wait'
  throw new Error(`nobody serves ${path} with the attested root ${root} (${places}): ${advice}`)
}

/**
 * The root that more than half of the active stake attests for the epoch before `epoch`; undefined
 * without one.
 */
export async function attestedRoot(subnet: Subnet, epoch: number): Promise<Hash | undefined> {
  return (await findAttested(subnet, epoch))?.root
}

/** A root, and who attested it with how much stake. */
interface AttestedRoot {
  readonly root: Hash
  readonly stake: bigint
  readonly holders: readonly Holder[]
}

/** What more than half of the active stake attests for the epoch before `epoch`. */
async function findAttested(
  { chain, network: { protocol } }: Subnet,
  epoch: number,
): Promise<AttestedRoot | undefined> {
  // The seal block, not the snapshot before: it is read in any case to decide on from this state,
  // and a node that is no archive still has it.
  const { neurons } = await chain.snapshot(sealBlock(epoch - 1, protocol))
  const before = Object.fromEntries(neurons.map((neuron) => [neuron.hotkey, neuron]))
  const ended = await chain.snapshot(snapshotBlock(epoch, protocol))
  let all = 0n
  const attesting = new Map<Hash, AttestedRoot>()
  const stakes = votingStakes(before, duelSnapshot(ended, epoch, protocol))
  for (const [hotkey, said] of commitmentsOf(ended)) {
    const stake = stakes.get(hotkey)
    if (stake === undefined || said.kind === 'miner') continue
    // Idle stake does not count, nor do slots that were written for epochs to come.
    if (said.epoch >= epoch || said.epoch < epoch - protocol.quorumEpochs) continue
    all += stake
    if (said.kind !== 'attest' || said.epoch !== epoch - 1) continue
    const { stateRoot: root, url } = said
    const { stake: others, holders } = attesting.get(root) ?? { stake: 0n, holders: [] }
    attesting.set(root, { root, stake: others + stake, holders: [...holders, { hotkey, url }] })
  }
  return [...attesting.values()].find(({ stake }) => 2n * stake > all)
}

/** The state of this root in a source's file, or why it is not there. */
async function readState(source: Source | null, path: string, root: Hash): Promise<State | string> {
  if (source === null) return 'it cannot be opened'
  const bytes = await tryRead(source, path, STATE_BYTES)
  if (bytes === null) return 'not there'
  if (!(bytes instanceof Uint8Array)) return failureText(bytes)
  // The root first: nothing is parsed that is not what was asked for.
  if (digestOfText('state', bytes) !== root) return 'another state'
  const state = parseState(new TextDecoder().decode(bytes))
  return state.ok ? state.value : state.detail
}

/**
 * The newest state before `epoch` that more than half of the active stake attested, of the last
 * `quorumEpochs` epochs; without one, the network's first.
 * @throws Error as `attestedState`.
 */
export async function newestAttested(data: PublicData, epoch: number): Promise<State> {
  const oldest = epoch - data.network.protocol.quorumEpochs
  for (let at = epoch; at > oldest; at--) {
    const state = await readAttested(data, at)
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
export interface StartingPoint {
  readonly from: State
  /** Who got all weight in the epochs right before, as many as weights may wait. */
  readonly recipients: Recipients
}

/**
 * Where who recomputes a network's epochs from `epoch` on begins. But for the first, it is
 * believed: what it comes to holds if somebody's recomputing of the epochs before ends with it.
 * @throws RangeError when there is no such epoch, or it has not ended. Error as `attestedState`,
 *   and when none was attested.
 */
export async function beginningAt(data: PublicData, epoch: number): Promise<StartingPoint> {
  const { protocol, firstEpoch } = data.network
  const open = placeOf((await data.chain.head()).number + 1, protocol).epoch
  if (open <= firstEpoch) throw new Error('the chain has not closed an epoch yet')
  if (epoch < firstEpoch || epoch >= open)
    throw new RangeError(`epoch ${epoch} expected to be one of ${firstEpoch} to ${open - 1}`)
  const lag = computeLag(await data.chain.snapshot(snapshotBlock(epoch + 1, protocol)), protocol)
  const recipients: (string | undefined)[] = []
  for (let before = Math.max(epoch - lag, firstEpoch); before < epoch; before++) {
    const state = await readGoverning(data, before)
    recipients.push(recipientOf(state, await snapshotOf(data.chain, state)))
  }
  return { from: await readGoverning(data, epoch), recipients }
}

/** The state that governed `epoch`, by those who attested it. */
async function readGoverning(data: PublicData, epoch: number): Promise<State> {
  if (epoch === data.network.firstEpoch) return firstStateOf(data.network)
  const state = await readAttested(data, epoch + 1)
  if (state !== null) return state
  throw new Error(
    `no state of epoch ${epoch} is attested by more than half of the active stake: begin earlier`,
  )
}

/** The state that governs a network's first epoch. Protocol §9.3. */
export function firstStateOf(network: Network): State {
  const { firstEpoch } = network
  return firstState(findConstants(network, firstEpoch), firstEpoch)
}
