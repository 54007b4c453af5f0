import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Chain, LocalChain, remoteChain } from '@affine/chain'
import type { SubtensorOptions } from '@affine/chain/subtensor'
import { type Network, networkNamed, networkOn } from './network.ts'

/** How commands name a chain. */
export const NETWORK_HELP =
  "finney, test or local; a node's ws:// or wss:// URL; several with commas; the http:// URL of `af localnet`; or the file of a chain's export"

export interface OpenOptions extends Pick<SubtensorOptions, 'salts' | 'onRetry'> {
  /** Where the network does not say it. */
  readonly netuid?: number | undefined
  /** Instead of the network's. */
  readonly firstEpoch?: number | undefined
}

/** A chain, and the rules that hold on it. */
export interface Opened {
  readonly chain: Chain
  readonly network: Network
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Opens the chain that `where` names. The rules follow from the chain: from its genesis, where no
 * name gives them.
 * @throws RangeError for a name that is none, and without a netuid where one is needed.
 */
export async function openChain(
  where: string,
  { netuid, firstEpoch, ...its }: OpenOptions = {},
): Promise<Opened> {
  const named = networkNamed(where)
  const urls = where.split(',').flatMap((each) => networkNamed(each)?.endpoints ?? each.trim())
  const rules = (chain: Chain): Network => {
    const preset = named ?? networkOn(chain.genesis)
    const start = firstEpoch ?? preset.firstEpoch
    if (start === undefined)
      throw new RangeError(`"first-epoch" expected a number: none is agreed on for ${where}`)
    return { ...preset, firstEpoch: start }
  }
  if (!urls.every((url) => /^wss?:\/\//.test(url))) {
    const chain = await (/^https?:\/\//.test(where) ? remoteChain(where) : importFile(where))
    if (netuid !== undefined && netuid !== chain.netuid)
      throw new RangeError(`"netuid" expected ${chain.netuid}, which ${where} has, got ${netuid}`)
    return { chain, network: rules(chain), [Symbol.asyncDispose]: async () => {} }
  }
  const subnet = netuid ?? named?.netuid
  if (subnet === undefined)
    throw new RangeError(`"netuid" expected a number: ${where} does not say which subnet`)
  // Loaded here: every other command starts in half the time without it.
  const { subtensor } = await import('@affine/chain/subtensor')
  const nodes = { endpoints: urls, genesis: named?.genesis }
  const chain = await subtensor({
    ...nodes,
    netuid: subnet,
    random: randomBytes,
    now: Date.now,
    ...its,
  })
  try {
    return { chain, network: rules(chain), [Symbol.asyncDispose]: () => chain.close() }
  } catch (error) {
    await chain.close()
    throw error
  }
}

/**
 * Opens a chain that goes on, to follow it or to send to it. @throws RangeError for a file, too.
 */
export async function openLive(where: string, options: OpenOptions): Promise<Opened> {
  const opened = await openChain(where, options)
  if (!(opened.chain instanceof LocalChain)) return opened
  throw new RangeError(
    `"network" expected a chain that goes on, got the export of one: ${JSON.stringify(where)}`,
  )
}

/** @throws RangeError when there is no such file: it may have been meant as a name. */
async function importFile(path: string): Promise<Chain> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new RangeError(`"network" expected ${NETWORK_HELP}; got ${JSON.stringify(path)}`)
  })
  return LocalChain.import(text)
}
