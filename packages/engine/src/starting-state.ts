import { statePath } from '@affine/blocks'
import { parseState, type State } from '@affine/duel'
import { digestOfText } from '@affine/prng'
import { attestedRoot, firstStateOf, newestAttested, STATE_BYTES } from '@affine/settlement'
import type { Setup } from './setup.ts'

/**
 * The state from which a validator that starts in `epoch` decides on: the last one it kept; else
 * the newest that more than half of the active stake attested, or, if it is to replay everything,
 * the network's first.
 * @throws Error when its own state was altered, or nobody serves the attested one.
 */
export async function startingState(setup: Setup, epoch: number): Promise<State> {
  const kept = await keptState(setup, epoch)
  if (kept !== null) return kept
  if (setup.replay) return firstStateOf(setup.network)
  return newestAttested(setup, epoch)
}

/**
 * The last state in the validator's folder that governs `epoch` or one before; null without one.
 */
async function keptState(setup: Setup, epoch: number): Promise<State | null> {
  const { store, network, folder } = setup
  for (let at = epoch; at > network.firstEpoch; at--) {
    const path = statePath(at)
    const bytes = await store.read(path, STATE_BYTES)
    if (bytes === null) continue
    const state = parseState(new TextDecoder().decode(bytes))
    const isRight = state.ok && (await isAsWritten(setup, epoch, at, bytes))
    if (isRight) return state.value
    const why = state.ok
      ? 'it differs from the copy in the bucket and from the attested state'
      : state.detail
    throw new Error(`${path} of ${folder}: ${why}. Move it away to decide it anew`)
  }
  return null
}

/**
 * Are these bytes of the state that governs the epoch `at` what was written? They are compared with
 * the copy in this validator's bucket; if it has none, or another, with the root that more than
 * half of the active stake attested, if any.
 */
async function isAsWritten(
  setup: Setup,
  epoch: number,
  at: number,
  bytes: Uint8Array,
): Promise<boolean> {
  const root = digestOfText('state', bytes)
  const copy = await setup.bucket.read(statePath(at), STATE_BYTES).catch(() => null)
  if (copy !== null && digestOfText('state', copy) === root) return true
  const attested = at < epoch ? await attestedRoot(setup, at + 1) : undefined
  if (attested !== undefined) return attested === root
  return copy === null
}
