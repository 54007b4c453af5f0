import { type Chain, LocalChain, remoteChain } from '@affine/chain'
import type { SubtensorOptions } from '@affine/chain/subtensor'
import { type Network, networkNamed, networkOn, type Subnet } from './networks.ts'

/** How commands name a chain. */
export const NETWORK_HELP: string =
  "finney, test or local; a node's ws:// or wss:// URL; several with commas; " +
  "the http:// URL of `af localnet`; or the file of a chain's export"

/**
 * What a chain is opened with: the clock, randomness, network and files of the machine that it runs
 * on.
 */
export interface Host extends Pick<SubtensorOptions, 'random' | 'now'> {
  readonly fetch: typeof globalThis.fetch
  /** The text of a file. Rejects when there is none. */
  readonly readText: (path: string) => Promise<string>
}

export interface OpenOptions extends Pick<SubtensorOptions, 'salts' | 'onRetry'> {
  /** Where the network does not say it. */
  readonly netuid?: number | undefined
  /** Instead of the network's. */
  readonly firstEpoch?: number | undefined
}

/** A subnet whose chain is open until it is disposed of. */
export interface Opened extends Subnet {
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens the chain that `where` names, as `openChain` and `openLive` do. */
export type Open = (where: string, host: Host, options?: OpenOptions) => Promise<Opened>

/**
 * Opens the chain that `where` names. The rules follow from the chain: from its genesis, where no
 * name gives them.
 * @throws RangeError for a name that is none, and without a netuid where one is needed.
 */
export async function openChain(
  where: string,
  host: Host,
  options: OpenOptions = {},
): Promise<Opened> {
  const urls = where.split(',').flatMap((each) => networkNamed(each)?.endpoints ?? each.trim())
  if (urls.every((url) => /^wss?:\/\//.test(url))) return openNodes({ where, urls, host, options })
  const chain = await openLog(where, host, options)
  const { netuid = chain.netuid } = options
  if (netuid !== chain.netuid)
    throw new RangeError(`"netuid" expected ${chain.netuid}, which ${where} has, got ${netuid}`)
  const network = networkOf(where, chain, options)
  return { chain, network, [Symbol.asyncDispose]: async () => {} }
}

/**
 * Opens a chain that goes on, to follow it or to send to it.
 * @throws RangeError for a file, too.
 */
export async function openLive(
  where: string,
  host: Host,
  options: OpenOptions = {},
): Promise<Opened> {
  const opened = await openChain(where, host, options)
  if (!(opened.chain instanceof LocalChain)) return opened
  const got = `the export of one: ${JSON.stringify(where)}`
  throw new RangeError(`"network" expected a chain that goes on, got ${got}`)
}

interface NodeRequest {
  readonly where: string
  readonly urls: readonly string[]
  readonly host: Host
  readonly options: OpenOptions
}

/** Bittensor's chain, from its nodes. */
async function openNodes({ where, urls, host, options }: NodeRequest): Promise<Opened> {
  const named = networkNamed(where)
  const { netuid = named?.netuid, salts, onRetry } = options
  if (netuid === undefined)
    throw new RangeError(`"netuid" expected a number: ${where} does not say which subnet`)
  // Loaded here: every other command starts in half the time without it.
  const { subtensor } = await import('@affine/chain/subtensor')
  const { random, now } = host
  const nodes = { endpoints: urls, genesis: named?.genesis, onRetry }
  const chain = await subtensor({ ...nodes, netuid, random, now, salts })
  try {
    const network = networkOf(where, chain, options)
    return { chain, network, [Symbol.asyncDispose]: () => chain.close() }
  } catch (error) {
    await chain.close()
    throw error
  }
}

/** A local chain: one that is served, or its export. */
async function openLog(
  where: string,
  { fetch, readText }: Host,
  options: OpenOptions,
): Promise<Chain> {
  if (/^https?:\/\//.test(where)) return remoteChain(where, { fetch, onRetry: options.onRetry })
  const text = await readText(where).catch((error: { readonly code?: string }) => {
    const got = JSON.stringify(where)
    if (error.code === 'ENOENT' && /[./]/.test(where))
      throw new RangeError(`"network" expected the file of a chain's export; ${got} is not there`)
    // It may have been meant as a name.
    throw new RangeError(`"network" expected ${NETWORK_HELP}; got ${got}`)
  })
  return LocalChain.import(text)
}

/** The rules that hold on a chain, by its name or its genesis. Protocol §9.2. */
function networkOf(where: string, chain: Chain, options: OpenOptions): Network {
  const preset = networkNamed(where) ?? networkOn(chain.genesis)
  const { firstEpoch = preset.firstEpoch } = options
  if (firstEpoch === undefined)
    throw new RangeError(`"first-epoch" expected a number: none is agreed on for ${where}`)
  return { ...preset, firstEpoch }
}
