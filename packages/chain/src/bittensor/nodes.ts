/** What a connection is opened with. Its declaration names none of @polkadot's types. */
export interface Nodes {
  /** WebSocket URLs, tried in this order. */
  readonly endpoints: readonly string[]
  /**
   * The chain's hash of block 0, 64 hex digits; a node of another chain is refused. Without, the
   * first node's counts.
   */
  readonly genesis?: string | undefined
  /** A node that says nothing for so long is given up for the next; a minute without. */
  readonly stallMs?: number
  /** Hears what was wrong with a node when another is tried. */
  readonly onRetry?: ((error: Error) => void) | undefined
}
