import type { Chain } from './chain.ts'

/** Where the salts of committed weights are kept: a folder that outlives the process. Nothing is ever overwritten. */
export interface SaltStore {
  read(path: string, limit: number): Promise<Uint8Array | null>
  write(path: string, bytes: Uint8Array): Promise<void>
}

export interface SubtensorOptions {
  /** WebSocket URLs of nodes, tried in this order. */
  readonly endpoints: readonly string[]
  readonly netuid: number
  /** The chain's hash of block 0, 64 hex digits; a node of another chain is refused. Without, the first node's counts. */
  readonly genesis?: string
  /** Needed where the subnet wants weights committed and revealed. */
  readonly salts?: SaltStore
  readonly random: (size: number) => Uint8Array
  readonly now: () => number
  /** A node that says nothing for so long is given up for the next. */
  readonly stallMs?: number
}

/** The subnet on Bittensor's chain. */
export type Subtensor = Chain & { close(): Promise<void> }

export async function subtensor(options: SubtensorOptions): Promise<Subtensor> {
  throw new Error(`${options.netuid}`)
}
