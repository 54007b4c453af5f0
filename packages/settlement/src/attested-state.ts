import { type Clock, STATE_BYTES, statePath } from '@affine/blocks'
import { firstState, parseState, type State, stateRoot, votingStakes } from '@affine/duel'
import { digestOfText, type Hash } from '@affine/prng'
import type { OpenBucket } from './bucket-reader.ts'
import { describeFailure, type Source, tryRead } from './copies.ts'
import { findConstants, type Network, type Subnet } from './networks.ts'
import {
  decodeCommitments,
  duelSnapshot,
  findRecipient,
  type Holder,
  locateBlock,
  readSnapshot,
  sealBlock,
  snapshotBlock,
} from './on-chain.ts'
import { computeLag, type Recipients } from './on-chain-faults.ts'
import { askInTurn } from './waiting.ts'

/** Maximum number of buckets that an error names. */
const MAX_NAMED = 4

/** A subnet, and the function that opens the buckets of its validators. */
export interface PublicData extends Subnet {
  readonly openBucket: OpenBucket
  /** Default: the system clock. */
  readonly clock?: Clock | undefined
}

/**
 * Resolves with the state that governed the epoch before `epoch` if more than half of the active
 * stake attested its root. Resolves with null otherwise, and for the network's first epoch. The
 * active stake is that of validators with a permit whose commitment on chain is a seal or an
 * attestation of one of the last `quorumEpochs` epochs. Protocol §9.4. The state is trusted, not
 * recomputed. Queries the attesters in turn until one serves the state.
 * @throws Error if a root is attested, but no attester's bucket serves its state.
 */
export async function readAttested(data: PublicData, epoch: number): Promise<State | null> {
  if (epoch <= data.network.firstEpoch) return null
  const attested = await findAttested(data, epoch)
  if (attested === undefined) return null
  const { root, holders } = attested
  // No bucket serves the first state: everyone computes it.
  const first = createFirstState(data.network)
  if (root === stateRoot(first)) return first
  const path = statePath(epoch - 1)
  const tried: string[] = []
  const read = async ({ hotkey, url }: Holder): Promise<State | null> => {
    const state = await readState(data.openBucket(hotkey, url), path, root)
    if (typeof state !== 'string') return state
    tried.push(`${hotkey} at ${url}: ${state}`)
    return null
  }
  const state = await askInTurn(holders, { ask: read, clock: data.clock })
  if (state !== null) return state
  const named = tried.sort().slice(0, MAX_NAMED)
  if (named.length < tried.length) named.push(`and ${tried.length - named.length} more`)
  const places = named.join('; ')
  const advice = 'check that "buckets" names the right folder, or wait'
  throw new Error(`no bucket serves ${path} with the attested root ${root} (${places}): ${advice}`)
}

/**
 * Resolves with the root that more than half of the active stake attests for the epoch before
 * `epoch`, if there is one.
 */
export async function findAttestedRoot(subnet: Subnet, epoch: number): Promise<Hash | undefined> {
  return (await findAttested(subnet, epoch))?.root
}

/** Resolves with the majority's root for the epoch before `epoch`, and its attesters, if any. */
async function findAttested(
  { chain, network: { protocol } }: Subnet,
  epoch: number,
): Promise<{ readonly root: Hash; readonly holders: readonly Holder[] } | undefined> {
  // A vote needs stake at two blocks. The earlier one is the seal block, not the epoch's snapshot:
  // the decision reads the seal block anyway, and a node that is not an archive still has it.
  const { neurons } = await chain.snapshot(sealBlock(epoch - 1, protocol))
  const before = Object.fromEntries(neurons.map((neuron) => [neuron.hotkey, neuron]))
  const ended = await chain.snapshot(snapshotBlock(epoch, protocol))
  const stakes = votingStakes(before, duelSnapshot(ended, epoch, protocol))
  const active = [...decodeCommitments(ended)].flatMap(([hotkey, commitment]) => {
    const stake = stakes.get(hotkey)
    if (stake === undefined || commitment.kind === 'miner') return []
    // Stake without a recent commitment does not count, nor does a commitment of a future epoch.
    if (commitment.epoch >= epoch || commitment.epoch < epoch - protocol.quorumEpochs) return []
    const isOfEpoch = commitment.kind === 'attest' && commitment.epoch === epoch - 1
    return { hotkey, url: commitment.url, stake, root: isOfEpoch ? commitment.stateRoot : null }
  })
  const sumStake = (some: typeof active): bigint => some.reduce((sum, { stake }) => sum + stake, 0n)
  for (const { root } of active) {
    const holders = active.filter((each) => each.root === root)
    if (root !== null && 2n * sumStake(holders) > sumStake(active)) return { root, holders }
  }
  return undefined
}

/** Resolves with the state at `path` if its root is `root`, otherwise with the reason why not. */
async function readState(source: Source | null, path: string, root: Hash): Promise<State | string> {
  if (source === null) return 'it cannot be opened'
  const bytes = await tryRead(source, path, STATE_BYTES)
  if (!(bytes instanceof Uint8Array)) return describeFailure(bytes)
  // Checking the root first avoids parsing another state.
  if (digestOfText('state', bytes) !== root) return 'another state'
  const state = parseState(new TextDecoder().decode(bytes))
  return state.ok ? state.value : state.detail
}

/**
 * Resolves with the newest state before `epoch` that more than half of the active stake attested in
 * the last `quorumEpochs` epochs, or with the network's first state.
 * @throws Error as `readAttested`.
 */
export async function readNewestAttested(data: PublicData, epoch: number): Promise<State> {
  const oldest = epoch - data.network.protocol.quorumEpochs
  for (let at = epoch; at > oldest; at--) {
    const state = await readAttested(data, at)
    if (state !== null) return state
  }
  return createFirstState(data.network)
}

/**
 * Resolves with the newest attested state from which a reader can recompute the last `epochs` ended
 * epochs, or with the network's first state.
 * @throws Error as `readAttested`.
 */
export async function readStartState(data: PublicData, epochs: number): Promise<State> {
  const { protocol } = data.network
  const { epoch } = locateBlock((await data.chain.head()).number, protocol)
  return readNewestAttested(data, epoch - epochs + 1)
}

/**
 * Resolves with the starting point for recomputing a network from `epoch` on: the state that
 * governed `epoch`, and the recipients of all weight in the earlier epochs whose weights may still
 * be in force. A state other than the network's first is trusted: the results are valid if
 * recomputing the earlier epochs ends with the same state.
 * @throws RangeError if `epoch` precedes the network's first or has not ended. Error as
 *   `readAttested`, if the first epoch is not over, and if the state of one of these epochs is not
 *   attested.
 */
export async function findStart(
  data: PublicData,
  epoch: number,
): Promise<{ readonly from: State; readonly recipients: Recipients }> {
  const { protocol, firstEpoch } = data.network
  const open = locateBlock((await data.chain.head()).number + 1, protocol).epoch
  if (open <= firstEpoch) throw new Error(`the first epoch, ${firstEpoch}, is not over yet`)
  if (epoch < firstEpoch || epoch >= open)
    throw new RangeError(`expected an epoch from ${firstEpoch} to ${open - 1}, got ${epoch}`)
  const lag = computeLag(await data.chain.snapshot(snapshotBlock(epoch + 1, protocol)), protocol)
  const recipients: (string | undefined)[] = []
  for (let before = Math.max(epoch - lag, firstEpoch); before < epoch; before++) {
    const state = await readGoverning(data, before)
    recipients.push(findRecipient(state, await readSnapshot(data.chain, state)))
  }
  return { from: await readGoverning(data, epoch), recipients }
}

/** Resolves with the attested state that governed `epoch`. */
async function readGoverning(data: PublicData, epoch: number): Promise<State> {
  if (epoch === data.network.firstEpoch) return createFirstState(data.network)
  const state = await readAttested(data, epoch + 1)
  if (state !== null) return state
  const lack = `no state of epoch ${epoch} is attested by more than half of the active stake`
  throw new Error(`${lack}: begin with an earlier epoch`)
}

/** Returns the state that governs a network's first epoch. Protocol §9.3. */
export function createFirstState(network: Network): State {
  const { firstEpoch } = network
  return firstState(findConstants(network, firstEpoch), firstEpoch)
}
