import { type Snapshot as ChainSnapshot, type Commitment, decodeCommitment } from '@affine/chain'
import type { Protocol, Seals, Snapshot } from '@affine/duel'

/** Where a block lies: its epoch, and how many blocks of that epoch came before it. */
export function place(block: number, protocol: Protocol): { readonly epoch: number; readonly offset: number } {
  const epoch = Math.floor(block / protocol.epochBlocks)
  return { epoch, offset: block - epoch * protocol.epochBlocks }
}

/** The block whose hash is the beacon of `epoch`; the one before it is the epoch's snapshot. */
export function beaconBlock(epoch: number, protocol: Protocol): number {
  return epoch * protocol.epochBlocks
}

/** The block at which the seals of `epoch` are read. */
export function sealBlock(epoch: number, protocol: Protocol): number {
  return beaconBlock(epoch, protocol) + protocol.sealBlock
}

/** What every hotkey has committed, with the block that holds it. Whatever does not decode counts as nothing. */
export function commitmentsOf(chain: ChainSnapshot): ReadonlyMap<string, Commitment & { readonly block: number }> {
  const entries = chain.commitments.map(({ hotkey, block, fields }) => {
    const commitment = decodeCommitment(fields, hotkey)
    return commitment === null ? [] : [[hotkey, { ...commitment, block }] as const]
  })
  return new Map(entries.flat())
}

/** The chain's state as `decide` reads it. */
export function duelSnapshot(chain: ChainSnapshot, epoch: number, protocol: Protocol): Snapshot {
  const commitments = commitmentsOf(chain)
  const hotkeys = chain.neurons.map(({ hotkey }) => hotkey)
  const miners = hotkeys.flatMap((hotkey) => {
    const commitment = commitments.get(hotkey)
    return commitment?.kind === 'miner' ? [{ ...commitment, hotkey }] : []
  })
  const validators = chain.neurons.flatMap(({ hotkey, stake, permit }) => {
    const attest = commitments.get(hotkey)
    return permit ? [{ hotkey, stake, ...(attest?.kind === 'attest' && { attest }) }] : []
  })
  return { epoch, protocol, hotkeys, validators, miners }
}

/** The heads that close the lanes of `epoch`, by validator, from the chain at its seal block. */
export function sealsOf(chain: ChainSnapshot, epoch: number): Seals {
  const seals = [...commitmentsOf(chain)].flatMap(([hotkey, commitment]) =>
    commitment.kind === 'seal' && commitment.epoch === epoch ? [[hotkey, commitment.head]] : [],
  )
  return Object.fromEntries(seals)
}

/** The buckets that validators have announced, by hotkey. Untrusted text. */
export function bucketUrls(chain: ChainSnapshot): ReadonlyMap<string, string> {
  const urls = [...commitmentsOf(chain)].flatMap(([hotkey, commitment]) =>
    commitment.kind === 'miner' ? [] : [[hotkey, commitment.url] as const],
  )
  return new Map(urls)
}
