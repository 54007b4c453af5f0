import { statePath } from '@affine/blocks'
import { genesis, parseState, type State, stateRoot } from '@affine/duel'
import {
  beaconBlock,
  bucketUrls,
  duelSnapshot,
  place,
  type RecomputeOptions,
} from '@affine/verifier'
import type { Peers } from './peers.ts'
import type { Setup } from './setup.ts'

/** A few hundred hotkeys take well under this. */
const STATE_BYTES = 8 * 1024 * 1024

/**
 * The state from which a validator that starts in `epoch` decides on: the last one it kept; else,
 * unless it is to replay everything, the newest that more than half the stake attested; else the
 * network's first.
 * @throws Error when its own state was altered, or nobody serves the attested one.
 */
export async function startingState(setup: Setup, epoch: number, peers: Peers): Promise<State> {
  const { store, network, replay } = setup
  for (let at = epoch; at > network.firstEpoch; at--) {
    const bytes = await store.read(statePath(at), STATE_BYTES)
    if (bytes === null) continue
    const state = parseState(new TextDecoder().decode(bytes))
    if (!state.ok)
      throw new Error(
        `${statePath(at)} of ${setup.folder}: ${state.detail}. Move it away to decide it anew`,
      )
    return state.value
  }
  const read = { ...setup, openBucket: peers.source.bind(peers) }
  const attested = replay ? null : await attestedState(read, epoch)
  return attested ?? genesis(network.protocol, network.firstEpoch)
}

/**
 * Where who only reads begins, to see the last `epochs` that ended: with the state that more than
 * half the stake attested by then. With the network's first, where there is none, and without
 * `epochs`.
 */
export async function readersState(
  read: RecomputeOptions,
  epochs: number = Number.POSITIVE_INFINITY,
): Promise<State> {
  const { epoch } = place((await read.chain.head()).number, read.network.protocol)
  const attested = await attestedState(read, epoch - epochs + 1)
  return attested ?? genesis(read.network.protocol, read.network.firstEpoch)
}

/**
 * The state that governed the epoch before, if validators with more than half the stake attested
 * one root.
 */
async function attestedState(
  { chain, network, openBucket }: RecomputeOptions,
  epoch: number,
): Promise<State | null> {
  const { protocol, firstEpoch } = network
  if (epoch <= firstEpoch) return null
  const ended = await chain.snapshot(beaconBlock(epoch, protocol) - 1)
  const { validators } = duelSnapshot(ended, epoch, protocol)
  const stakes = new Map<string, bigint>()
  for (const { stake, attest } of validators)
    if (attest?.epoch === epoch - 1)
      stakes.set(attest.stateRoot, (stakes.get(attest.stateRoot) ?? 0n) + stake)
  const all = validators.reduce((sum, { stake }) => sum + stake, 0n)
  const [root] = [...stakes].find(([, stake]) => 2n * stake > all) ?? []
  if (root === undefined) return null
  const path = statePath(epoch - 1)
  for (const [hotkey, url] of bucketUrls(ended)) {
    const bytes = await openBucket(hotkey, url)
      ?.read(path, STATE_BYTES)
      .catch(() => null)
    const state = bytes ? parseState(new TextDecoder().decode(bytes)) : null
    if (state?.ok && stateRoot(state.value) === root) return state.value
  }
  throw new Error(
    `nobody serves ${path} with the attested root ${root}: wait; or give --replay, or no --last`,
  )
}
