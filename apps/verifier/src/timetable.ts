import { type Snapshot as ChainSnapshot, decodeCommitment } from '@affine/chain'
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

/** The chain's state as `decide` reads it. Commitments that do not decode count as none. */
export function duelSnapshot(chain: ChainSnapshot, epoch: number, protocol: Protocol): Snapshot {
  const commitments = new Map(chain.commitments.map((c) => [c.hotkey, c]))
  const validators: Snapshot['validators'][number][] = []
  const miners: Snapshot['miners'][number][] = []
  for (const { hotkey, stake, permit } of chain.neurons) {
    const slot = commitments.get(hotkey)
    const commitment = slot === undefined ? null : decodeCommitment(slot.fields, hotkey)
    if (slot !== undefined && commitment?.kind === 'miner') {
      const { model, revision, chute } = commitment
      miners.push({ hotkey, model, revision, chute, block: slot.block })
    }
    if (permit) validators.push({ hotkey, stake, ...(commitment?.kind === 'attest' ? { attest: commitment } : {}) })
  }
  return { epoch, protocol, hotkeys: chain.neurons.map((n) => n.hotkey), validators, miners }
}

/** The heads that close the lanes of `epoch`, by validator, from the chain at its seal block. */
export function sealsOf(chain: ChainSnapshot, epoch: number): Seals {
  const seals: Record<string, string> = {}
  for (const { hotkey, fields } of chain.commitments) {
    const commitment = decodeCommitment(fields, hotkey)
    if (commitment?.kind === 'seal' && commitment.epoch === epoch) seals[hotkey] = commitment.head
  }
  return seals
}

/** The buckets that validators have announced, by hotkey. Untrusted text. */
export function bucketUrls(chain: ChainSnapshot): Map<string, string> {
  const urls = new Map<string, string>()
  for (const { hotkey, fields } of chain.commitments) {
    const commitment = decodeCommitment(fields, hotkey)
    if (commitment !== null && commitment.kind !== 'miner') urls.set(hotkey, commitment.url)
  }
  return urls
}
