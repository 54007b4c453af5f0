import type { Chain, ChainOpening, Host } from '@affine/chain'
import {
  FINNEY_FIRST_EPOCH,
  findNetwork,
  findNetworkByGenesis,
  type Network,
  type Subnet,
} from './networks.ts'

export { FINNEY_FIRST_EPOCH, type Host }

/**
 * The kinds of live chains, with the form of their URLs. Code is loaded on demand, so that a
 * command's help appears immediately.
 */
const LIVE_KINDS = [
  {
    help: "a node's ws:// or wss:// URL; several with commas",
    place: /^wss?:\/\//,
    loadOpener: async () => (await import('@affine/chain/subtensor')).openNodes,
  },
  {
    help: 'the http:// URL of `af localnet`',
    place: /^https?:\/\//,
    loadOpener: async () => (await import('@affine/chain')).remoteChain,
  },
]

/** The forms of a chain's name in commands. */
export const NETWORK_HELP: string = [
  'finney, test or local',
  ...LIVE_KINDS.map(({ help }) => help),
  "or the file of a chain's export",
].join('; ')

export interface OpenOptions extends Pick<ChainOpening, 'onRetry'> {
  /** Default: the netuid of the named network, served chain or export. Otherwise required. */
  readonly netuid?: number | undefined
  /** Default: the network's. Required if it has none. */
  readonly firstEpoch?: number | undefined
}

/** A subnet. Disposing of it closes its chain. */
export interface OpenSubnet extends Subnet {
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens the chain that `where` names: see `openChain` and `openLive`. */
export type SubnetOpener = (where: string, host: Host, options?: OpenOptions) => Promise<OpenSubnet>

/**
 * Opens the chain that `where` names: a network, a URL or the file of an export. Unless `where` is
 * a network's name, the rules follow from the chain's genesis.
 * @throws RangeError if `where` names no chain, if the netuid is missing or not the chain's, if the
 *   first epoch is missing, if an environment of the chain is not registered or behaves
 *   differently, or if the file cannot be read. Error if another chain cannot be read.
 */
export async function openChain(
  where: string,
  host: Host,
  options: OpenOptions = {},
): Promise<OpenSubnet> {
  const chain = await openAt(where, host, options)
  const close = async (): Promise<void> => chain.close?.()
  try {
    const { netuid = chain.netuid } = options
    if (netuid !== chain.netuid)
      throw new RangeError(`"netuid" expected ${chain.netuid}, which ${where} has, got ${netuid}`)
    if (chain.envs) (await import('@affine/envs')).expectEnvs(chain.envs)
    const network = resolveNetwork(where, chain, options)
    return { chain, network, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Opens a live chain, to follow it or to send to it.
 * @throws RangeError as `openChain`, and if `where` names a file.
 */
export const openLive: SubnetOpener = async (where, host, options) => {
  const opened = await openChain(where, host, options)
  if (isOnline(where)) return opened
  await opened[Symbol.asyncDispose]()
  const got = `an export: ${JSON.stringify(where)}`
  throw new RangeError(`"network" expected a live chain, got ${got}`)
}

const listPlaces = (where: string): readonly string[] =>
  where.split(',').flatMap((each) => findNetwork(each)?.endpoints ?? each.trim())

const findLiveKind = (places: readonly string[]) =>
  LIVE_KINDS.find(({ place }) => places.every((each) => place.test(each)))

/** Reports whether `where` names networks or URLs of one kind of chain. Does not connect. */
export function isOnline(where: string): boolean {
  const places = listPlaces(where)
  return places.every((each) => URL.canParse(each)) && findLiveKind(places) !== undefined
}

async function openAt(where: string, host: Host, options: OpenOptions): Promise<Chain> {
  const places = listPlaces(where)
  const named = findNetwork(where)
  const { netuid = named?.netuid, onRetry } = options
  const readText: Host['readText'] = (path) =>
    host.readText(path).catch((error: Error) => {
      const got = `${JSON.stringify(where)}: ${error.message}`
      throw new RangeError(`"network" expected ${NETWORK_HELP}; got ${got}`, { cause: error })
    })
  const opening = { ...host, readText, places, netuid, onRetry }
  const live = findLiveKind(places)
  const open = live ? await live.loadOpener() : (await import('@affine/chain')).openExport
  return open(where, { ...opening, genesis: named?.genesis })
}

/** Returns the rules of a chain, by its name or its genesis. Protocol §9.2. */
function resolveNetwork(where: string, chain: Chain, options: OpenOptions): Network {
  const preset = findNetwork(where) ?? findNetworkByGenesis(chain)
  const { firstEpoch = preset.firstEpoch } = options
  if (firstEpoch === undefined)
    throw new RangeError(`"first-epoch" expected a number: ${where} has no agreed first epoch`)
  return { ...preset, firstEpoch }
}
