import type { UidWeights } from '../chain.ts'
import type { Call } from './call.ts'
import type { Storage } from './storage.ts'

/** The weights that a hotkey is to have. */
export interface HotkeyWeights {
  readonly hotkey: string
  readonly weights: UidWeights
}

/** The same, with the version that the subnet asks of its validators. */
export interface VersionedWeights extends HotkeyWeights {
  readonly versionKey: bigint
}

/** A call, and how the chain shows afterwards that it did what was meant. */
export interface Plan {
  readonly call: Call
  readonly isHeld: (after: Storage) => Promise<boolean>
}
