import type { Head, Snapshot } from '../chain.ts'
import { slotOf } from './commitment-slot.ts'
import { metagraphOf } from './metagraph.ts'
import type { Storage } from './storage.ts'

/** Reads the metagraph and the commitments. Protocol §5.1. */
export async function readSnapshot(
  storage: Storage,
  head: Head,
  netuid: number,
): Promise<Snapshot> {
  const slots = storage.entries('commitments', 'commitmentOf', netuid)
  const [metagraph, entries] = await Promise.all([metagraphOf(storage, netuid), slots])
  const commitments = entries
    .map(([hotkey, registration]) => slotOf(hotkey, registration))
    .sort((a, b) => (a.hotkey < b.hotkey ? -1 : 1))
  return { head, ...metagraph, commitments }
}
