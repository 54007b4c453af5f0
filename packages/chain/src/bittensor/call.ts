import type { ApiPromise } from '@polkadot/api'
import { ChainError } from '../chain-error.ts'
import type { CALLS } from './asked-of-runtime.ts'
import type { NameIn } from './storage.ts'

/** Makes a call for the runtime of the node that takes it. */
export type Call = (api: ApiPromise) => Promise<Submittable>
type Submittable = ReturnType<ApiPromise['tx'][string][string]>

/**
 * The runtime's call of this name. It rejects with ChainError `NotInRuntime` if there is no such
 * call.
 */
export const callOf =
  <P extends keyof typeof CALLS>(
    pallet: P,
    name: NameIn<typeof CALLS, P>,
    ...args: unknown[]
  ): Call =>
  async ({ tx }: ApiPromise): Promise<Submittable> => {
    const call = tx[pallet]?.[name]
    if (!call)
      throw new ChainError('NotInRuntime', `this chain's runtime has no call ${pallet}.${name}`)
    return call(...args)
  }
