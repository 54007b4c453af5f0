import type { Chain } from '@affine/chain'
import { LOCAL, PROTOCOL, type Protocol } from '@affine/duel/protocol'
import { own } from '@affine/prng'

/** The rules that a subnet's participants agree on, and the nodes of its chain. */
export interface Network {
  readonly protocol: Protocol
  /**
   * Constants of earlier epochs, oldest first, each up to the epoch `until`, exclusive. A history
   * is recomputed with the constants of its epochs. `epochBlocks` and `sealBlock` never change.
   */
  readonly earlier?: readonly { readonly until: number; readonly protocol: Protocol }[]
  /** Epoch in which validators start. Epochs are counted from block 0. */
  readonly firstEpoch: number
  readonly endpoints: readonly string[]
  readonly netuid?: number
  /** Genesis of the chain, 64 hex digits. Default: any. */
  readonly genesis?: string
  /** Whether transactions are sent only if the user requests it (`--emit`). Default: false. */
  readonly careful?: boolean
  /** Meaning of a miner's chute: a deployment on Chutes, or a URL on this machine. */
  readonly platform: 'chutes' | 'loopback'
}

/** A named network. If it has no first epoch, its validators agree on one. */
export type Preset = Omit<Network, 'firstEpoch'> & Partial<Network>

export interface Subnet {
  readonly chain: Chain
  readonly network: Network
}

/** The network of a local chain: short epochs, smaller quotas and a smaller cap. */
export const LOCAL_NETWORK: Network = {
  protocol: LOCAL,
  firstEpoch: 0,
  endpoints: ['ws://127.0.0.1:9944'],
  platform: 'loopback',
}

/**
 * The main network's first epoch. A release sets it by the steps in docs/upgrades.md; until then it
 * is far ahead, so that no validator starts before the others.
 */
export const FINNEY_FIRST_EPOCH = 100_000

/**
 * Returns the network of a local chain, with the environments in the first line of the chain's
 * file. Protocol §5.1.
 */
export const createLocalNetwork = ({ envs }: Pick<Chain, 'envs'>): Network =>
  envs === undefined ? LOCAL_NETWORK : { ...LOCAL_NETWORK, protocol: { ...LOCAL, envs } }

/** Networks by name. Protocol §9.2. */
export const NETWORKS: Readonly<Record<string, Preset>> = {
  finney: {
    protocol: PROTOCOL,
    firstEpoch: FINNEY_FIRST_EPOCH,
    endpoints: ['wss://entrypoint-finney.opentensor.ai:443', 'wss://lite.chain.opentensor.ai:443'],
    netuid: 120,
    genesis: '2f0555cc76fc2840a25a6ea3b9637146806f1f44b090c175ffde2a7e5ab36c03',
    careful: true,
    platform: 'chutes',
  },
  test: {
    protocol: PROTOCOL,
    endpoints: ['wss://test.finney.opentensor.ai:443'],
    genesis: '8f9cf856bf558a14440e75569c9e58594757048d7b3a84b5d25f6bd978263105',
    platform: 'chutes',
  },
  local: LOCAL_NETWORK,
}

/** Returns the network of a name, which is `where` up to its first comma. Undefined if unknown. */
export function findNetwork(where: string): Preset | undefined {
  const [name = ''] = where.split(',')
  return own(NETWORKS, name)
}

/** Returns the network whose chain has this genesis, or the local network for any other genesis. */
export function findNetworkByGenesis(chain: Pick<Chain, 'genesis' | 'envs'>): Preset {
  const known = Object.values(NETWORKS).find(({ genesis }) => genesis === chain.genesis)
  return known ?? createLocalNetwork(chain)
}

/** Returns a network's constants for an epoch. Protocol §9.2. */
export function findConstants({ protocol, earlier = [] }: Network, epoch: number): Protocol {
  return earlier.find(({ until }) => epoch < until)?.protocol ?? protocol
}
