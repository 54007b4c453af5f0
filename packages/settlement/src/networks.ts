import type { Chain } from '@affine/chain'
import { LOCAL, PROTOCOL, type Protocol } from '@affine/duel/protocol'
import { own } from '@affine/prng'

/** What a subnet's participants must agree on before the first block, and where it is found. */
export interface Network {
  readonly protocol: Protocol
  /**
   * The constants that it had before, the first ones first, and the first epoch for which they were
   * not set any more: a history is recomputed with those of its epochs. Epochs have always been as
   * long as they are.
   */
  readonly earlier?: readonly { readonly until: number; readonly protocol: Protocol }[]
  /** Epochs are counted from block 0; this is the one in which validators start. */
  readonly firstEpoch: number
  readonly endpoints: readonly string[]
  readonly netuid?: number
  /** Of its chain, 64 hex digits; any where it is not given. */
  readonly genesis?: string
  /** Is nothing sent to its chain unless asked for? */
  readonly careful?: boolean
  /** What a miner's chute is: a deployment on Chutes, or a URL on one's own machine. */
  readonly platform: 'chutes' | 'loopback'
}

/** A network by name; the first epoch may be left to its validators. */
export type Preset = Omit<Network, 'firstEpoch'> & Partial<Network>

/** A chain, and the rules that hold on it. */
export interface Subnet {
  readonly chain: Chain
  readonly network: Network
}

/** Of a chain on one machine: short epochs and a smaller cap. */
export const LOCAL_NETWORK: Network = {
  protocol: LOCAL,
  firstEpoch: 0,
  endpoints: ['ws://127.0.0.1:9944'],
  platform: 'loopback',
}

/**
 * The main network's first epoch. A release sets it: docs/upgrades.md has the steps. Until then it
 * is far ahead, so that no validator starts before the others.
 */
export const FINNEY_FIRST_EPOCH = 100_000

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

/** The network whose name is all of `where`, or stands before other nodes and a comma. */
export function networkNamed(where: string): Preset | undefined {
  const [name = ''] = where.split(',')
  return own(NETWORKS, name)
}

/** The network whose chain has this genesis; `local` when none has. */
export function findNetworkByGenesis(genesis: string): Preset {
  const known = Object.values(NETWORKS).find((network) => network.genesis === genesis)
  return known ?? LOCAL_NETWORK
}

/** The constants that a network has set for an epoch. Protocol §9.2. */
export function findConstants({ protocol, earlier = [] }: Network, epoch: number): Protocol {
  return earlier.find(({ until }) => epoch < until)?.protocol ?? protocol
}
