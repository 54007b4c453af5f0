import { type Chain, type Commitment, decodeCommitment, type Snapshot } from '@affine/chain'
import type { DuelSnapshot, Protocol, Seals, State, Weights } from '@affine/duel'

/** The epoch of a block, and its index in the epoch. */
export type EpochPosition = Readonly<Record<'epoch' | 'offset', number>>

/** Returns the position of `block`. Protocol §5.1. */
export function locateBlock(block: number, { epochBlocks }: Protocol): EpochPosition {
  return { epoch: Math.floor(block / epochBlocks), offset: block % epochBlocks }
}

/** Returns the block whose hash is the beacon of `epoch`: its first. Protocol §5.1. */
export function beaconBlock(epoch: number, { epochBlocks }: Protocol): number {
  return epoch * epochBlocks
}

/** Returns the last block before `epoch`, at whose end its snapshot is taken. Protocol §5.1. */
export function snapshotBlock(epoch: number, rules: Protocol): number {
  return beaconBlock(epoch, rules) - 1
}

/**
 * Resolves with the snapshot of the epoch that a state governs; in epoch 0, with that of block 0.
 * Protocol §5.1.
 */
export const readSnapshot = (
  chain: Pick<Chain, 'snapshot'>,
  { epoch, protocol }: Pick<State, 'epoch' | 'protocol'>,
): Promise<Snapshot> => chain.snapshot(Math.max(0, snapshotBlock(epoch, protocol)))

/** Returns the block at which the seals of `epoch` are read. Protocol §5.1. */
export function sealBlock(epoch: number, rules: Protocol): number {
  return beaconBlock(epoch, rules) + rules.sealBlock
}

/** Resolves with the average time of the 20 blocks up to `block` in milliseconds; 0 at block 0. */
export async function averageBlockMs(chain: Pick<Chain, 'time'>, block: number): Promise<number> {
  const past = Math.max(0, block - 20)
  if (past === block) return 0
  return ((await chain.time(block)) - (await chain.time(past))) / (block - past)
}

type StoredCommitment = Commitment & { readonly block: number }

/** Returns commitments by hotkey, except undecodable commitments. Protocol §5.2, §5.3. */
export function decodeCommitments(chain: Snapshot): ReadonlyMap<string, StoredCommitment> {
  const decoded = new Map<string, StoredCommitment>()
  for (const { hotkey, block, fields } of chain.commitments) {
    const commitment = decodeCommitment(fields, hotkey)
    if (commitment !== null) decoded.set(hotkey, { ...commitment, block })
  }
  return decoded
}

/** Returns the chain as `decide` reads it, at the last block before `epoch`. Protocol §5.1. */
export function duelSnapshot(chain: Snapshot, epoch: number, protocol: Protocol): DuelSnapshot {
  const commitments = decodeCommitments(chain)
  const neurons = chain.neurons.map((neuron) => ({
    ...neuron,
    commitment: commitments.get(neuron.hotkey),
  }))
  return {
    epoch,
    protocol,
    hotkeys: neurons.map(({ hotkey }) => hotkey),
    validators: neurons
      .filter(({ permit }) => permit)
      .map(({ hotkey, stake, commitment }) => ({
        hotkey,
        stake,
        ...(commitment?.kind === 'attest' && { attest: commitment }),
      })),
    miners: neurons.flatMap(({ hotkey, registered, commitment }) =>
      commitment?.kind === 'miner' ? [{ ...commitment, hotkey, registered }] : [],
    ),
  }
}

/**
 * Returns the hotkey that is owed all weight in the epoch with this state and snapshot: the
 * champion's, or the subnet owner's, whose incentive the chain burns. Undefined if neither is
 * registered. Protocol §8.13.
 */
export function findRecipient(
  { champion }: Pick<State, 'champion'>,
  { neurons, owner }: Pick<Snapshot, 'neurons' | 'owner'>,
): string | undefined {
  const registered = new Set(neurons.map(({ hotkey }) => hotkey))
  return [champion?.hotkey, owner].find((hotkey) => hotkey !== undefined && registered.has(hotkey))
}

/**
 * Returns the sealed heads of `epoch` by hotkey, also of validators that are not due. Protocol
 * §5.2.
 */
export function listSeals(chain: Snapshot, epoch: number): Seals {
  const seals: Record<string, string> = {}
  for (const [hotkey, commitment] of decodeCommitments(chain)) {
    if (commitment.kind === 'seal' && commitment.epoch === epoch) seals[hotkey] = commitment.head
  }
  return seals
}

/** A validator, and the address that it announced for its bucket: untrusted text. */
export type Holder = Readonly<Record<'hotkey' | 'url', string>>

/**
 * Returns the voters of an epoch that announced a bucket, heaviest first. Other buckets are not
 * opened, so hotkeys without weight cost no time. Protocol §6.4.
 */
export function listHolders(voters: Weights, chain: Snapshot): readonly Holder[] {
  const weightOf = ({ hotkey }: Holder): number => voters[hotkey] ?? 0
  return [...decodeCommitments(chain)]
    .flatMap(([hotkey, commitment]) => {
      if (commitment.kind === 'miner' || !Object.hasOwn(voters, hotkey)) return []
      return [{ hotkey, url: commitment.url }]
    })
    .sort((a, b) => weightOf(b) - weightOf(a) || (a.hotkey < b.hotkey ? -1 : 1))
}

/**
 * Returns the holders in the order in which to read the lane of `validator`: the lane's attesters,
 * then its validator, then the other voters. Attesters and other voters begin after the validator
 * in `holders`, so that not all lanes are read from the heaviest voter. Protocol §6.4.
 */
export function sortForReading(
  holders: readonly Holder[],
  validator: string,
  attesters: readonly string[] = [],
): readonly Holder[] {
  const own = holders.findIndex(({ hotkey }) => hotkey === validator)
  const inTurn = [...holders.slice(own + 1), ...holders.slice(0, own + 1)]
  const ranks = new Map(attesters.map((hotkey) => [hotkey, 0]))
  ranks.set(validator, 1)
  const rankOf = ({ hotkey }: Holder): number => ranks.get(hotkey) ?? 2
  return inTurn.sort((a, b) => rankOf(a) - rankOf(b))
}
