import type { ChainOpening, Host } from '../chain.ts'

// Types of the public API. Their declarations must not refer to types of @polkadot.

export interface Nodes extends Pick<ChainOpening, 'genesis' | 'onRetry'> {
  /** WebSocket URLs, tried in this order. */
  readonly endpoints: readonly string[]
  /**
   * Maximum silence of a node in milliseconds. An answer may take a third of this time.
   * Default: 60000.
   */
  readonly stallMs?: number
}

/** The arguments for setting weights. */
export type WeightMeans = Pick<Host, 'random' | 'now'> & { readonly netuid: number }
