// What strangers' programs open a chain with: no declaration here names any of @polkadot's types.

/** What a connection is opened with. */
export interface Nodes {
  /** WebSocket URLs, tried in this order. */
  readonly endpoints: readonly string[]
  /**
   * The chain's hash of block 0, 64 hex digits; a node of another chain is refused. Without it, the
   * hash of the first node that answers is used.
   */
  readonly genesis?: string | undefined
  /**
   * A node that is silent for so many milliseconds, or does not answer a request within a third of
   * that, is replaced by the next (default 60000).
   */
  readonly stallMs?: number
  /** Called with a node's error when another is tried. */
  readonly onRetry?: ((error: Error) => void) | undefined
}

/** What it takes to set weights, besides the chain. */
export interface WeightMeans {
  readonly netuid: number
  readonly random: (size: number) => Uint8Array
  readonly now: () => number
}
