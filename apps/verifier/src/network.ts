import { type Snapshot as ChainSnapshot, type Commitment, decodeCommitment } from '@affine/chain'
import { LOCAL, PROTOCOL, type Protocol, type Seals, type Snapshot } from '@affine/duel'

/** What a subnet's participants must agree on before the first block, and where it is found. */
export interface Network {
  readonly protocol: Protocol
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
type Preset = Omit<Network, 'firstEpoch'> & Partial<Network>

const endpoints = ['ws://127.0.0.1:9944']
/** Of a chain on one machine: short epochs and a smaller cap. */
export const LOCAL_NETWORK: Network = {
  protocol: LOCAL,
  firstEpoch: 0,
  endpoints,
  platform: 'loopback',
}

/** Networks by name. */
export const NETWORKS: Readonly<Record<string, Preset>> = {
  finney: {
    protocol: PROTOCOL,
    firstEpoch: 27_000,
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
export const networkNamed = (where: string): Preset | undefined =>
  Object.entries(NETWORKS).find(([name]) => name === where.split(',')[0])?.[1]

/** The network whose chain has this genesis; `local` when none has. */
export const networkOn = (genesis: string): Preset =>
  Object.values(NETWORKS).find((network) => network.genesis === genesis) ?? LOCAL_NETWORK

/** Where a block lies: its epoch, and how many blocks of that epoch came before it. */
export function place(
  block: number,
  { epochBlocks }: Protocol,
): { readonly epoch: number; readonly offset: number } {
  return { epoch: Math.floor(block / epochBlocks), offset: block % epochBlocks }
}

/** The block whose hash is the beacon of `epoch`; the one before it is the epoch's snapshot. */
export const beaconBlock = (epoch: number, { epochBlocks }: Protocol): number => epoch * epochBlocks

/** The block at which the seals of `epoch` are read. */
export const sealBlock = (epoch: number, rules: Protocol): number =>
  beaconBlock(epoch, rules) + rules.sealBlock

/**
 * What every hotkey has committed, with the block that holds it. Whatever does not decode counts as
 * nothing.
 */
export function commitmentsOf(
  chain: ChainSnapshot,
): ReadonlyMap<string, Commitment & { readonly block: number }> {
  const entries = chain.commitments.flatMap(({ hotkey, block, fields }) => {
    const commitment = decodeCommitment(fields, hotkey)
    return commitment === null ? [] : [[hotkey, { ...commitment, block }] as const]
  })
  return new Map(entries)
}

/** The chain's state as `decide` reads it. */
export function duelSnapshot(chain: ChainSnapshot, epoch: number, protocol: Protocol): Snapshot {
  const commitments = commitmentsOf(chain)
  const neurons = chain.neurons.map((neuron) => ({
    ...neuron,
    said: commitments.get(neuron.hotkey),
  }))
  const hotkeys = neurons.map(({ hotkey }) => hotkey)
  const miners = neurons.flatMap(({ hotkey, said }) =>
    said?.kind === 'miner' ? [{ ...said, hotkey }] : [],
  )
  const validators = neurons
    .filter(({ permit }) => permit)
    .map(({ hotkey, stake, said }) => ({
      hotkey,
      stake,
      ...(said?.kind === 'attest' && { attest: said }),
    }))
  return { epoch, protocol, hotkeys, validators, miners }
}

/** The heads that close the lanes of `epoch`, by validator, from the chain at its seal block. */
export function sealsOf(chain: ChainSnapshot, epoch: number): Seals {
  const entries = [...commitmentsOf(chain)].flatMap(([hotkey, said]) =>
    said.kind === 'seal' && said.epoch === epoch ? [[hotkey, said.head]] : [],
  )
  return Object.fromEntries(entries)
}

/** The buckets that validators have announced, by hotkey. Untrusted text. */
export function bucketUrls(chain: ChainSnapshot): ReadonlyMap<string, string> {
  const commitments = [...commitmentsOf(chain)]
  return new Map(
    commitments.flatMap(([hotkey, said]) =>
      said.kind === 'miner' ? [] : [[hotkey, said.url] as const],
    ),
  )
}
