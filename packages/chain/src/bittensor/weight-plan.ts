import type { UidWeights } from '../chain.ts'
import type { Call } from './call.ts'
import type { Storage } from './storage.ts'

/** The weights that a hotkey shall have. */
export interface HotkeyWeights {
  readonly hotkey: string
  readonly weights: UidWeights
}

/** The same, with the version that the subnet requires of its validators. */
export interface VersionedWeights extends HotkeyWeights {
  readonly versionKey: bigint
}

/** A call, and a check of the storage after its block: did the call do what it should? */
export interface Plan {
  readonly call: Call
  readonly tookEffect: (after: Storage) => Promise<boolean>
}
