import { statePath } from '@affine/blocks'
import { firstState, parseState, type State } from '@affine/duel'
import { attestedState, STATE_BYTES } from '@affine/settlement'
import type { Setup } from '../service/setup.ts'
import type { Peers } from './peers.ts'

/**
 * The state from which a validator that starts in `epoch` decides on: the last one it kept; else,
 * unless it is to replay everything, the newest that more than half the stake attested; else the
 * network's first.
 * @throws Error when its own state was altered, or nobody serves the attested one.
 */
export async function startingState(setup: Setup, epoch: number, peers: Peers): Promise<State> {
  const { network, replay } = setup
  const first = firstState(network.protocol, network.firstEpoch)
  const kept = await keptState(setup, epoch)
  if (kept !== null || replay) return kept ?? first
  const openBucket = peers.source.bind(peers)
  return (await attestedState({ ...setup, openBucket }, epoch)) ?? first
}

/**
 * The last state in the validator's folder that governs `epoch` or one before; null without one.
 */
async function keptState({ store, network, folder }: Setup, epoch: number): Promise<State | null> {
  for (let at = epoch; at > network.firstEpoch; at--) {
    const path = statePath(at)
    const bytes = await store.read(path, STATE_BYTES)
    if (bytes === null) continue
    const state = parseState(new TextDecoder().decode(bytes))
    if (state.ok) return state.value
    throw new Error(`${path} of ${folder}: ${state.detail}. Move it away to decide it anew`)
  }
  return null
}
