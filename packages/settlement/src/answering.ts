import type { Snapshot } from '@affine/chain'
import type { Duel, State } from '@affine/duel'
import type { PublicData } from './attested-state.ts'
import { type Choose, Copies } from './copies.ts'
import { holdersOf } from './holders.ts'
import type { Owners } from './owners.ts'
import type { Patience } from './patience.ts'
import { commitmentsOf } from './snapshot.ts'
import type { Failed } from './sources.ts'

/** Whose copies are looked at, and what is known of their buckets. */
interface Answering {
  readonly duel: Pick<Duel, 'weights'>
  /** The chain at the epoch's end. */
  readonly ended: Snapshot
  readonly failed: Failed
}

/** Where it is looked. */
interface Looked extends PublicData {
  readonly owners: Owners
  readonly choose?: Choose | undefined
  readonly patience: Patience
}

/**
 * The copies that those have who answer for the epoch that `state` governs: voters of `duel` that
 * were due or attested it. What they have of its states is read meanwhile.
 */
export function openCopies(
  { network, openBucket, owners, choose, patience }: Looked,
  state: State,
  { duel, ended, failed }: Answering,
): Copies {
  const { epoch, due } = state
  const said = commitmentsOf(ended)
  const attests = (hotkey: string): boolean => {
    const commitment = said.get(hotkey)
    return commitment?.kind === 'attest' && commitment.epoch === epoch
  }
  const sources = holdersOf(duel, ended)
    .filter(({ hotkey }) => Object.hasOwn(due, hotkey) || attests(hotkey))
    .flatMap((holder) => {
      const source = openBucket(holder.hotkey, holder.url)
      return source ? { ...source, ownership: owners.ownershipOf(holder, source) } : []
    })
  const copies = new Copies(sources, { failed, choose, patience })
  // All others were read with the epoch before.
  if (epoch === network.firstEpoch) copies.readStates(epoch)
  copies.readStates(epoch + 1)
  return copies
}
