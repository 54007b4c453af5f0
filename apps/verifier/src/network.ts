import { type Snapshot as ChainSnapshot, type Commitment, decodeCommitment } from '@affine/chain'
import { LOCAL, type Protocol, type Seals, type Snapshot } from '@affine/duel'

/** What a subnet's participants must agree on before the first block: its rules, and the epoch they start with. */
export type Network = { readonly protocol: Protocol; readonly firstEpoch: number }

/** Networks by name. `local` has short epochs and a smaller cap, for one machine. */
const networks: ReadonlyMap<string, Network> = new Map([['local', { protocol: LOCAL, firstEpoch: 0 }]])

/** The network of that name. @throws RangeError that lists the known names. */
export function networkOf(name: string): Network {
  const network = networks.get(name)
  if (network !== undefined) return network
  throw new RangeError(`"network" expected one of ${[...networks.keys()].join(', ')}, got ${JSON.stringify(name)}`)
}

/** Where a block lies: its epoch, and how many blocks of that epoch came before it. */
export function place(block: number, { epochBlocks }: Protocol): { readonly epoch: number; readonly offset: number } {
  return { epoch: Math.floor(block / epochBlocks), offset: block % epochBlocks }
}

/** The block whose hash is the beacon of `epoch`; the one before it is the epoch's snapshot. */
export const beaconBlock = (epoch: number, { epochBlocks }: Protocol): number => epoch * epochBlocks

/** The block at which the seals of `epoch` are read. */
export const sealBlock = (epoch: number, rules: Protocol): number => beaconBlock(epoch, rules) + rules.sealBlock

/** What every hotkey has committed, with the block that holds it. Whatever does not decode counts as nothing. */
export function commitmentsOf(chain: ChainSnapshot): ReadonlyMap<string, Commitment & { readonly block: number }> {
  const entries = chain.commitments.flatMap(({ hotkey, block, fields }) => {
    const commitment = decodeCommitment(fields, hotkey)
    return commitment === null ? [] : [[hotkey, { ...commitment, block }] as const]
  })
  return new Map(entries)
}

/** The chain's state as `decide` reads it. */
export function duelSnapshot(chain: ChainSnapshot, epoch: number, protocol: Protocol): Snapshot {
  const commitments = commitmentsOf(chain)
  const neurons = chain.neurons.map((neuron) => ({ ...neuron, said: commitments.get(neuron.hotkey) }))
  const hotkeys = neurons.map(({ hotkey }) => hotkey)
  const miners = neurons.flatMap(({ hotkey, said }) => (said?.kind === 'miner' ? [{ ...said, hotkey }] : []))
  const validators = neurons
    .filter(({ permit }) => permit)
    .map(({ hotkey, stake, said }) => ({ hotkey, stake, ...(said?.kind === 'attest' && { attest: said }) }))
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
  return new Map(commitments.flatMap(([hotkey, said]) => (said.kind === 'miner' ? [] : [[hotkey, said.url] as const])))
}
