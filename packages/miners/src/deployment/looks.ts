import type { Result } from '@affine/prng'
import pRetry from 'p-retry'
import type { Asking } from '../asking.ts'
import { retryPolicy } from '../retry-policy.ts'
import type { Asked, Deployment, DeploymentFault } from './deployment.ts'
import { type Directory, lookAt } from './look.ts'

/** How long the second look may take. A validator seals some minutes later. */
const SECOND_LOOK_MS = 60_000

type DeploymentVerdict = Result<Deployment, DeploymentFault>
type LookSetup = Directory & Pick<Asking, 'random' | 'on'>

/**
 * The looks at miners' deployments: one in each epoch, that is for each signal, before anything is
 * asked, and one before the lane is sealed. Protocol §5.4.
 */
export class DeploymentLooks {
  readonly #epochs = new WeakMap<AbortSignal, Map<string, Promise<DeploymentVerdict>>>()
  readonly #looking: LookSetup

  constructor(looking: LookSetup) {
    this.#looking = looking
  }

  /**
   * The first look of an epoch. What the platform fails at is tried again until its signal aborts;
   * a refusal holds for the epoch, so hiding at first and showing itself later gains nothing.
   */
  first(miner: Asked, signal: AbortSignal): Promise<DeploymentVerdict> {
    const looks = this.#epochs.get(signal) ?? new Map<string, Promise<DeploymentVerdict>>()
    this.#epochs.set(signal, looks)
    const look = looks.get(miner.hotkey) ?? this.#lookAtFirst(miner, signal)
    looks.set(miner.hotkey, look)
    return look
  }

  async #lookAtFirst(miner: Asked, signal: AbortSignal): Promise<DeploymentVerdict> {
    const look = await this.#look(miner, signal)
    const advice = 'its owner has to mend that, and af doctor shows it to them'
    if (!look.ok)
      this.#tell(miner, `is not asked in this epoch: ${look.code}: ${look.detail}; ${advice}`)
    return look
  }

  /**
   * Was a deployment changed since the first look of the epoch? One that is refused now was. It is
   * not held to be if the platform fails all the time: that is not the miner's doing.
   */
  async hasChanged(miner: Asked, signal: AbortSignal): Promise<boolean> {
    const first = await this.#epochs
      .get(signal)
      ?.get(miner.hotkey)
      ?.catch(() => undefined)
    if (first?.ok === false) return false // it was not asked
    const giveUp = AbortSignal.timeout(SECOND_LOOK_MS)
    const second = await this.#look(miner, giveUp).catch((error: Error) => error)
    if (second instanceof Error) {
      this.#tell(miner, `was not looked at again: ${second.message}`)
      return false
    }
    const isSame =
      second.ok && (first === undefined || first.value.version === second.value.version)
    if (isSame) return false
    const now = second.ok ? '' : `, ${second.code}: ${second.detail}`
    const text = `its chute was changed in this epoch${now}: none of its replies counts`
    this.#looking.on?.({ type: 'call', outcome: 'miner', reason: 'changed', text })
    this.#tell(miner, text)
    return true
  }

  #look(miner: Asked, signal: AbortSignal): Promise<DeploymentVerdict> {
    const policy = retryPolicy({ signal, random: this.#looking.random })
    return pRetry(() => lookAt(miner, signal, this.#looking), {
      ...policy,
      shouldRetry: () => true,
    })
  }

  #tell(miner: Asked, text: string): void {
    const error = new Error(text)
    this.#looking.on?.({ type: 'problem', what: `miner ${miner.hotkey}`, error })
  }
}
