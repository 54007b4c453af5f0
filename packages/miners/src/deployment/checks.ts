import type { Result } from '@affine/prng'
import pRetry from 'p-retry'
import { type CallOptions, DeliveryError, type EpochContext, MinerError } from '../asking.ts'
import { CHUTES_API, type ChutesKey, LOOK_UP_MS } from '../chutes-key.ts'
import { createRetryPolicy } from '../miner-client.ts'
import { cachePerEpoch } from '../per-epoch.ts'
import {
  type ChuteRefusal,
  type Deployment,
  type DeploymentFault,
  readDescription,
  refuse,
  type TargetMiner,
} from './deployment.ts'
import { checkModelFiles, lookUp } from './model-files.ts'
import { judgeSource } from './template-source.ts'
import { findTemplates } from './templates.ts'

/** Time limit of the second check, in milliseconds. A validator then has minutes left to seal. */
const SECOND_CHECK_MS = 60_000

type DeploymentVerdict = Result<Deployment, DeploymentFault>
interface CheckSetup extends Directory, Pick<CallOptions, 'on'> {
  /** Milliseconds between two checks of a model that is not public. */
  readonly pauseMs: number
}

interface FirstCheck {
  readonly verdict: DeploymentVerdict
  /** The time by `now` from which the check is repeated, in milliseconds. Infinity: never. */
  repeatAtMs: number
}

/**
 * The checks of miners' deployments: one in each epoch before the first request, and one before the
 * lane is sealed. Protocol §5.4.
 */
export class DeploymentChecks {
  readonly #checksByEpoch = cachePerEpoch(() => new Map<string, Promise<FirstCheck>>())
  readonly #setup: CheckSetup

  constructor(setup: CheckSetup) {
    this.#setup = setup
  }

  /**
   * Returns the result of an epoch's first check. If the platform fails, the check is repeated
   * until the epoch ends. A refusal applies to the whole epoch, so that miners gain nothing by
   * hiding a deployment at first. A refusal of a model that is not public applies only for
   * `pauseMs`: a later call checks again.
   */
  async first(miner: TargetMiner, context: EpochContext): Promise<DeploymentVerdict> {
    const checks = this.#checksByEpoch(context.epoch)
    const known = checks.get(miner.hotkey) ?? this.#checkFirst(miner, context)
    checks.set(miner.hotkey, known)
    const check = await known
    if (this.#setup.now() >= check.repeatAtMs) {
      check.repeatAtMs = Number.POSITIVE_INFINITY
      const again = this.#checkFirst(miner, context)
      // Until the new check has a result, the last result applies, so that no call waits for a
      // platform that fails.
      again.then(() => checks.set(miner.hotkey, again)).catch(() => {})
    }
    return check.verdict
  }

  async #checkFirst(miner: TargetMiner, context: EpochContext): Promise<FirstCheck> {
    const { now, pauseMs } = this.#setup
    const verdict = await this.#check(miner, context)
    if (verdict.ok) {
      void this.#wake(miner, context)
      return { verdict, repeatAtMs: Number.POSITIVE_INFINITY }
    }
    const advice = 'the miner can run `af doctor` to diagnose this'
    const time = isHidden(verdict) ? 'for now' : 'for this epoch'
    const text = `skipped ${time}: ${verdict.code}: ${verdict.detail}; ${advice}`
    this.#report(miner, new MinerError(verdict.code, text))
    return { verdict, repeatAtMs: isHidden(verdict) ? now() + pauseMs : Number.POSITIVE_INFINITY }
  }

  /**
   * Requests that the platform wake a chute that has passed its check. Resolves even if the request
   * fails, since calls to a chute wait until it is awake. Protocol §5.4.
   */
  async #wake({ chute }: TargetMiner, context: EpochContext): Promise<void> {
    const ask = (): ReturnType<typeof fetchPublished> =>
      fetchPublished(`/chutes/warmup/${chute}`, context, this.#setup)
    await pRetry(ask, createRetryPolicy(context.signal)).catch(() => {})
  }

  /**
   * Reports whether a deployment changed since the first check of the epoch. A deployment that only
   * the second check refuses has changed. If the platform fails throughout the second check,
   * the miner is not at fault, and the result is false.
   */
  async hasChanged(miner: TargetMiner, { epoch }: EpochContext): Promise<boolean> {
    const checks = this.#checksByEpoch(epoch)
    const check = await checks.get(miner.hotkey)?.catch(() => undefined)
    const first = check?.verdict
    if (first?.ok === false) return false // the miner was not asked
    const signal = AbortSignal.timeout(SECOND_CHECK_MS)
    const second = await this.#check(miner, { epoch, signal }).catch((error: Error) => error)
    if (second instanceof Error) {
      this.#report(miner, new MinerError('not-seen', `was not checked again: ${second.message}`))
      return false
    }
    const isSame =
      second.ok && (first === undefined || first.value.version === second.value.version)
    if (isSame) return false
    const cause = second.ok
      ? 'its chute was changed in this epoch'
      : `its chute may no longer be asked: ${second.code}: ${second.detail}`
    const text = `${cause}: none of its replies counts`
    this.#setup.on?.({ type: 'call', outcome: 'miner', reason: 'changed', text })
    this.#report(miner, new MinerError('changed', text))
    return true
  }

  #check(miner: TargetMiner, context: EpochContext): Promise<DeploymentVerdict> {
    const policy = { ...createRetryPolicy(context.signal), shouldRetry: () => true }
    return pRetry(() => checkDeployment(miner, context, this.#setup), policy)
  }

  #report({ hotkey, model, chute }: TargetMiner, error: MinerError): void {
    this.#setup.on?.({ type: 'problem', task: { kind: 'miner', hotkey, model, chute }, error })
  }
}

/** Reports whether a deployment is refused only until its model is public. Protocol §5.4. */
const isHidden = ({ code }: ChuteRefusal): boolean => code === 'MODEL_NOT_SHOWN'

/**
 * Returns the error of a call to a refused deployment. The call is repeated if the model is not
 * public.
 */
export function createRefusalError(refusal: ChuteRefusal): Error {
  const text = `${refusal.code}: ${refusal.detail}`
  return isHidden(refusal)
    ? new DeliveryError(text, 'not-shown')
    : new MinerError('deployment', text)
}

export const UUID: RegExp = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export interface Directory extends Pick<CallOptions, 'exchange' | 'now'> {
  readonly key: Pick<ChutesKey, 'ask'>
}

/**
 * Checks what the platform publishes about a miner's deployment, and the files of its model.
 * Rejects if a platform fails: without a connection, late, with a status of 429 or 5xx, without
 * JSON, or because of the validator's own key. No miner can cause these failures: the platforms
 * themselves respond, and a miner chooses only the published contents. Protocol §5.4.
 * @throws RangeError if this release does not have the list of templates.
 */
export async function checkDeployment(
  miner: TargetMiner,
  context: EpochContext,
  directory: Directory,
): Promise<DeploymentVerdict> {
  const { chute } = miner
  const templates = findTemplates(miner.templates)
  if (!UUID.test(chute))
    return refuse('NO_ID', 'the committed chute is not the id of a deployment, a UUID')
  const ask = (path: string): ReturnType<typeof fetchPublished> =>
    fetchPublished(path, context, directory)
  const description = await ask(`/chutes/${chute}`)
  if (!description.ok) return refuse(description.code, `its description: ${description.detail}`)
  const described = readDescription(JSON.parse(description.value), miner, templates)
  if (!described.ok) return described
  const source = await ask(`/chutes/code/${chute}`)
  if (!source.ok) return refuse(source.code, `its source: ${source.detail}`)
  const judged = judgeSource(source.value, miner, described.value, templates)
  if (!judged.ok) return judged
  const refusal = await checkModelFiles(miner, templates, { ...directory, signal: context.signal })
  return refusal ?? judged
}

/** Fetches a path of the API. Refuses a response that is too large or whose status is not 200. */
async function fetchPublished(
  path: string,
  context: EpochContext,
  { key, now }: Directory,
): Promise<Result<string, 'NOT_SHOWN' | 'TOO_LARGE'>> {
  const { signal } = context
  const query = { url: `${CHUTES_API}${path}`, replyMs: LOOK_UP_MS, signal, now }
  const received = await lookUp((each) => key.ask(each, context), query)
  if (received === undefined) return { ok: false, code: 'TOO_LARGE', detail: 'it is too large' }
  const { status, text } = received
  if (status === 200) return { ok: true, value: text }
  const detail = `status ${status}; check that the chute exists and is public`
  return { ok: false, code: 'NOT_SHOWN', detail }
}
