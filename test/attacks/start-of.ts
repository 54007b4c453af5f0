import { statePath } from '../../packages/blocks/src/index.ts'
import type { Chain } from '../../packages/chain/src/index.ts'
import { encodeState, type State } from '../../packages/duel/src/index.ts'
import type { Setup } from '../../packages/engine/src/setup.ts'
import { findStartingState } from '../../packages/engine/src/validator.ts'
import type { ReadingSubnet } from './reading-subnet.ts'

interface Own {
  /** The state in the validator's folder, and the state in its bucket, `copy`. */
  readonly stored?: State
  readonly copy?: State
  /** The validator's view of the chain. */
  readonly snapshot?: Chain['snapshot']
}

/** Resolves with the state from which a validator of a subnet starts in an epoch. */
export function startOf(subnet: ReadingSubnet, epoch: number, own: Own = {}): Promise<State> {
  const { chain, network, buckets } = subnet
  const { stored, copy, snapshot = (block) => chain.snapshot(block) } = own
  const has = (state?: State) => ({
    read: async (path: string) =>
      state && path === statePath(state.epoch) ? Buffer.from(encodeState(state)) : null,
  })
  const places = { folder: '', store: has(stored), bucket: has(copy), openBucket: buckets.open }
  return findStartingState({ chain: { snapshot }, network, ...places } as unknown as Setup, epoch)
}
