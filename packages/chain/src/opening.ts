import type { SaltStore } from './bittensor/salts.ts'
import type { Chain } from './chain.ts'

/** The clock, randomness, network and files of the machine that a chain is opened on. */
export interface Host {
  readonly random: (size: number) => Uint8Array
  readonly now: () => number
  readonly fetch: typeof globalThis.fetch
  /** The text of a file. Rejects if the file does not exist. */
  readonly readText: (path: string) => Promise<string>
}

/** What a chain of any kind is opened with. */
export interface ChainOpening extends Host {
  /** As it was named. */
  readonly name: string
  /** Where it is: at one place, or at several of which each will do. */
  readonly places: readonly string[]
  readonly netuid?: number | undefined
  /** Of the chain that is expected, 64 hex digits. */
  readonly genesis?: string | undefined
  /** A folder that outlives the process, for salts of weights that are committed. */
  readonly salts?: SaltStore | undefined
  /** Hears what was wrong when something is tried again. */
  readonly onRetry?: ((error: Error) => void) | undefined
}

/** A chain until it is closed. */
export interface OpenedChain {
  readonly chain: Chain
  /** Are blocks added to it? */
  readonly goesOn: boolean
  close(): Promise<void>
}

/** How a wing opens a chain of its kind. */
export type OpenAt = (opening: ChainOpening) => Promise<OpenedChain>
