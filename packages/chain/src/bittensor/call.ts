import type { ApiPromise } from '@polkadot/api'
import { ChainError } from '../chain-error.ts'
import { asciiLine } from './ascii-line.ts'
import type { CALLS } from './asked-of-runtime.ts'
import type { NameIn } from './storage.ts'

/** Makes a call for the runtime of the node that takes it. */
export type Call = (api: ApiPromise) => Promise<Submittable>
type Submittable = ReturnType<ApiPromise['tx'][string][string]>

/**
 * The runtime's call of this name. It rejects with ChainError `NotInRuntime` if there is no such
 * call, or it takes other arguments.
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
    try {
      return call(...args)
    } catch (cause) {
      const said = asciiLine((cause as Error).message)
      throw new ChainError('NotInRuntime', `${pallet}.${name} takes other arguments: ${said}`, {
        cause,
      })
    }
  }
