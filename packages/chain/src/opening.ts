import type { Chain } from './chain.ts'

/**
 * The clock (Unix time in milliseconds), randomness, network and files with which chains are
 * opened.
 */
export interface Host {
  readonly random: (size: number) => Uint8Array
  readonly now: () => number
  readonly fetch: typeof globalThis.fetch
  /** The text of a file. Rejects if the file does not exist. */
  readonly readText: (path: string) => Promise<string>
}

/** What it takes to open a chain of any kind. */
export interface ChainOpening extends Host {
  /** The text that names the chain. */
  readonly name: string
  /** Where the chain is. Any one of several places is enough. */
  readonly places: readonly string[]
  readonly netuid?: number | undefined
  /** The hash of block 0 of the chain that is expected, 64 hex digits. */
  readonly genesis?: string | undefined
  /** Called with the error when something is tried again. */
  readonly onRetry?: ((error: Error) => void) | undefined
}

/** A chain that is open. */
export interface OpenedChain {
  readonly chain: Chain
  /** Can blocks be added to it? None can be added to an export. */
  readonly goesOn: boolean
  close(): Promise<void>
}

/** Opens a chain of one kind. */
export type OpenAt = (opening: ChainOpening) => Promise<OpenedChain>
