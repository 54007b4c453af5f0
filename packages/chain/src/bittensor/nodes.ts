import type { ChainOpening, Host } from '../chain.ts'

// Types of the public API. Their declarations must not refer to types of @polkadot.

export interface Nodes extends Pick<ChainOpening, 'genesis' | 'onRetry'> {
  /** WebSocket URLs, tried in this order. */
  readonly endpoints: readonly string[]
  /**
   * Maximum time of a node for one task, in milliseconds. One answer may take a third of this time.
   * Default: 60000.
   */
  readonly stallMs?: number
}

/** The randomness, the clock and the subnet that setting weights needs. */
export type WeightMeans = Pick<Host, 'random' | 'now'> & { readonly netuid: number }
