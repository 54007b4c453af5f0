import type { ChainOpening, Host } from '../chain.ts'

// What strangers' programs open a chain with: no declaration here names any of @polkadot's types.

/** What a connection is opened with. */
export interface Nodes extends Pick<ChainOpening, 'genesis' | 'onRetry'> {
  /** WebSocket URLs, tried in this order. */
  readonly endpoints: readonly string[]
  /**
   * A node that is silent for so many milliseconds, or does not answer a request within a third of
   * that, is replaced by the next (default 60000).
   */
  readonly stallMs?: number
}

/** What it takes to set weights, besides the chain. */
export type WeightMeans = Pick<Host, 'random' | 'now'> & { readonly netuid: number }
