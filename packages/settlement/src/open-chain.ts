import type { Chain, ChainOpening, Host } from '@affine/chain'
import {
  FINNEY_FIRST_EPOCH,
  type Network,
  networkNamed,
  findNetworkByGenesis,
  type Subnet,
} from './networks.ts'

export { FINNEY_FIRST_EPOCH, type Host }

/**
 * The kinds of chains that go on, and what each of their places is like: to add one is a wing of
 * `@affine/chain` and a line here. Each is loaded when it is needed, so that a command's help is
 * there at once.
 */
const LIVE_KINDS = [
  {
    help: "a node's ws:// or wss:// URL; several with commas",
    place: /^wss?:\/\//,
    wing: async () => (await import('@affine/chain/subtensor')).openNodes,
  },
  {
    help: 'the http:// URL of `af localnet`',
    place: /^https?:\/\//,
    wing: async () => (await import('@affine/chain')).openServed,
  },
]

/** How commands name a chain. */
export const NETWORK_HELP: string = [
  'finney, test or local',
  ...LIVE_KINDS.map(({ help }) => help),
  "or the file of a chain's export",
].join('; ')

export interface OpenOptions extends Pick<ChainOpening, 'onRetry'> {
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
 * @throws RangeError for a name that names none, and without a netuid where one is needed.
 */
export async function openChain(
  where: string,
  host: Host,
  options: OpenOptions = {},
): Promise<Opened> {
  const chain = await openAt(where, host, options)
  const close = async (): Promise<void> => chain.close?.()
  try {
    const { netuid = chain.netuid } = options
    if (netuid !== chain.netuid)
      throw new RangeError(`"netuid" expected ${chain.netuid}, which ${where} has, got ${netuid}`)
    const network = resolveNetwork(where, chain, options)
    return { chain, network, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Opens a chain that goes on, to follow it or to send to it.
 * @throws RangeError for a file, too.
 */
export const openLive: Open = async (where, host, options) => {
  const opened = await openChain(where, host, options)
  if (isOnline(where)) return opened
  await opened[Symbol.asyncDispose]()
  const got = `the export of one: ${JSON.stringify(where)}`
  throw new RangeError(`"network" expected a chain that goes on, got ${got}`)
}

const listPlaces = (where: string): readonly string[] =>
  where.split(',').flatMap((each) => networkNamed(each)?.endpoints ?? each.trim())

const findLiveKind = (places: readonly string[]) =>
  LIVE_KINDS.find(({ place }) => places.every((each) => place.test(each)))

/** Does it name networks, or URLs of one kind of chain? Whether one answers is not asked. */
export function isOnline(where: string): boolean {
  const places = listPlaces(where)
  return places.every((each) => URL.canParse(each)) && findLiveKind(places) !== undefined
}

async function openAt(where: string, host: Host, options: OpenOptions): Promise<Chain> {
  const places = listPlaces(where)
  const named = networkNamed(where)
  const { netuid = named?.netuid, onRetry } = options
  const readText: Host['readText'] = (path) =>
    host.readText(path).catch((error: Error & { readonly code?: string }) => {
      throw explainUnreadable(where, error)
    })
  const opening = { ...host, readText, name: where, places, netuid, onRetry }
  const live = findLiveKind(places)
  const open = live ? await live.wing() : (await import('@affine/chain')).openExport
  return open({ ...opening, genesis: named?.genesis })
}

/** Codes of paths that lead to no file: they may be meant as names. */
const NO_FILE = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']
/** Codes of files that the user must not read. */
const DENIED = ['EACCES', 'EPERM']

/** Returns a RangeError if `where` is wrong. A disk that fails is not the caller's mistake. */
function explainUnreadable(where: string, error: Error & { readonly code?: string }): Error {
  const got = JSON.stringify(where)
  const wanted = '"network" expected the file of a chain\'s export'
  const { code = 'ENOENT' } = error
  // It is there, and is too large, not a regular file, or not accessible.
  if (error instanceof RangeError || DENIED.includes(code))
    return new RangeError(`${wanted}; got ${got}: ${error.message}`, { cause: error })
  if (!NO_FILE.includes(code))
    return new Error(`cannot read ${where}: ${error.message}`, { cause: error })
  if (error.code === 'ENOENT' && /[./]/.test(where))
    return new RangeError(`${wanted}; ${got} is not there`)
  // It may have been meant as a name.
  return new RangeError(`"network" expected ${NETWORK_HELP}; got ${got}`)
}

/** The rules that hold on a chain, by its name or its genesis. Protocol §9.2. */
function resolveNetwork(where: string, chain: Chain, options: OpenOptions): Network {
  const preset = networkNamed(where) ?? findNetworkByGenesis(chain.genesis)
  const { firstEpoch = preset.firstEpoch } = options
  if (firstEpoch === undefined)
    throw new RangeError(`"first-epoch" expected a number: none is agreed on for ${where}`)
  return { ...preset, firstEpoch }
}
