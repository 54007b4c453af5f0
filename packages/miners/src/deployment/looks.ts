import type { Result } from '@affine/prng'
import pRetry from 'p-retry'
import { type Asking, AskingProblem, type EpochContext, Undelivered } from '../asking.ts'
import { CHUTES_API, type ChutesKey, LOOK_UP_MS } from '../chutes-key.ts'
import { createRetryPolicy } from '../miner-client.ts'
import { cachePerEpoch } from '../per-epoch.ts'
import {
  type Asked,
  type Deployment,
  type DeploymentFault,
  judgeSource,
  type Refusal,
  readDescription,
  refuse,
} from './deployment.ts'
import { checkModelFiles, lookUp } from './model-files.ts'
import { findTemplates } from './templates.ts'

/** How long the second look may take. A validator seals some minutes later. */
const SECOND_CHECK_MS = 60_000

type DeploymentVerdict = Result<Deployment, DeploymentFault>
interface CheckSetup extends Directory, Pick<Asking, 'random' | 'on'> {
  /** Between two looks at a model that is not shown. */
  readonly pauseMs: number
}

/** The first look of an epoch at a miner. */
interface FirstCheck {
  readonly verdict: DeploymentVerdict
  /** From when on it is made again, in milliseconds. */
  repeatAtMs: number
}

/**
 * The looks at miners' deployments: one in each epoch before anything is asked, and one before the
 * lane is sealed. Protocol §5.4.
 */
export class DeploymentChecks {
  readonly #checksByEpoch = cachePerEpoch(() => new Map<string, Promise<FirstCheck>>())
  readonly #setup: CheckSetup

  constructor(looking: CheckSetup) {
    this.#setup = looking
  }

  /**
   * The first look of an epoch. What the platform fails at is tried again until the epoch ends;
   * a refusal holds for the epoch, so hiding at first and showing itself later gains nothing. But
   * one of a model that is not shown holds only for `pauseMs`: a later call looks again.
   */
  async first(miner: Asked, context: EpochContext): Promise<DeploymentVerdict> {
    const looks = this.#checksByEpoch(context.epoch)
    const known = looks.get(miner.hotkey) ?? this.#checkFirst(miner, context)
    looks.set(miner.hotkey, known)
    const look = await known
    if (this.#setup.now() >= look.repeatAtMs) {
      look.repeatAtMs = Number.POSITIVE_INFINITY
      const again = this.#checkFirst(miner, context)
      // Until it ends the last one holds: nothing waits for a platform that fails meanwhile.
      again.then(() => looks.set(miner.hotkey, again)).catch(() => {})
    }
    return look.verdict
  }

  async #checkFirst(miner: Asked, context: EpochContext): Promise<FirstCheck> {
    const { now, pauseMs } = this.#setup
    const verdict = await this.#check(miner, context)
    if (verdict.ok) {
      void this.#wake(miner, context)
      return { verdict, repeatAtMs: Number.POSITIVE_INFINITY }
    }
    const advice = 'its owner has to mend that, and af doctor shows it to them'
    const time = isHidden(verdict) ? 'so far' : 'in this epoch'
    const text = `is not asked ${time}: ${verdict.code}: ${verdict.detail}; ${advice}`
    this.#report(miner, new AskingProblem(verdict.code, text))
    return { verdict, repeatAtMs: isHidden(verdict) ? now() + pauseMs : Number.POSITIVE_INFINITY }
  }

  /**
   * Asks the platform to wake a chute that has passed. Resolves however that ends: calls to it wait
   * until it is awake. Protocol §5.4.
   */
  async #wake({ chute }: Asked, context: EpochContext): Promise<void> {
    const ask = (): ReturnType<typeof fetchPublished> =>
      fetchPublished(`/chutes/warmup/${chute}`, context, this.#setup)
    await pRetry(ask, createRetryPolicy(context.signal, this.#setup.random)).catch(() => {})
  }

  /**
   * Was a deployment changed since the first look of the epoch? One that is refused now was. It is
   * not held to be if the platform fails all the time: that is not the miner's doing.
   */
  async hasChanged(miner: Asked, { epoch }: EpochContext): Promise<boolean> {
    const looks = this.#checksByEpoch(epoch)
    const look = await looks.get(miner.hotkey)?.catch(() => undefined)
    const first = look?.verdict
    if (first?.ok === false) return false // it was not asked
    const signal = AbortSignal.timeout(SECOND_CHECK_MS)
    const second = await this.#check(miner, { epoch, signal }).catch((error: Error) => error)
    if (second instanceof Error) {
      this.#report(
        miner,
        new AskingProblem('not-seen', `was not looked at again: ${second.message}`),
      )
      return false
    }
    const isSame =
      second.ok && (first === undefined || first.value.version === second.value.version)
    if (isSame) return false
    const now = second.ok ? '' : `, ${second.code}: ${second.detail}`
    const text = `its chute was changed in this epoch${now}: none of its replies counts`
    this.#setup.on?.({ type: 'call', outcome: 'miner', reason: 'changed', text })
    this.#report(miner, new AskingProblem('changed', text))
    return true
  }

  #check(miner: Asked, context: EpochContext): Promise<DeploymentVerdict> {
    const { random } = this.#setup
    const policy = { ...createRetryPolicy(context.signal, random), shouldRetry: () => true }
    return pRetry(() => lookAt(miner, context, this.#setup), policy)
  }

  #report({ hotkey, model, chute }: Asked, error: AskingProblem): void {
    this.#setup.on?.({ type: 'problem', task: { kind: 'miner', hotkey, model, chute }, error })
  }
}

/** Reports whether a deployment is refused only until its model is shown. Protocol §5.4. */
const isHidden = ({ code }: Refusal): boolean => code === 'MODEL_NOT_SHOWN'

/** Returns the error of a call to a deployment that is refused. One that is hidden is repeated. */
export function createRefusalError(refusal: Refusal): Error {
  const text = `${refusal.code}: ${refusal.detail}`
  return isHidden(refusal)
    ? new Undelivered(text, 'not-shown')
    : new AskingProblem('deployment', text)
}

export const UUID: RegExp = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What it takes to look at a deployment, and at the files of its model. */
export interface Directory extends Pick<Asking, 'exchange' | 'now'> {
  readonly key: Pick<ChutesKey, 'ask'>
}

/**
 * Looks at what the platform publishes about a miner's deployment, and at its model's files: may it
 * be asked? Rejects when a platform fails: without a connection, late, with a status of 429 or 5xx,
 * with no JSON, or for the validator's own key. No miner can bring that about: the platforms answer
 * here themselves, and of what they publish a miner chooses the contents alone. Protocol §5.4.
 * @throws RangeError when this release does not have the list of templates.
 */
export async function lookAt(
  miner: Asked,
  context: EpochContext,
  directory: Directory,
): Promise<DeploymentVerdict> {
  const { chute } = miner
  const templates = findTemplates(miner.templates)
  if (!UUID.test(chute))
    return refuse('NO_ID', 'the committed chute is no id of a deployment, a UUID')
  const ask = (path: string): ReturnType<typeof fetchPublished> =>
    fetchPublished(path, context, directory)
  const description = await ask(`/chutes/${chute}`)
  if (!description.ok) return refuse(description.code, `its description: ${description.detail}`)
  const said = readDescription(JSON.parse(description.value), miner, templates)
  if (!said.ok) return said
  const source = await ask(`/chutes/code/${chute}`)
  if (!source.ok) return refuse(source.code, `its source: ${source.detail}`)
  const judged = judgeSource(source.value, { committed: miner, said: said.value }, templates)
  if (!judged.ok) return judged
  const refusal = await checkModelFiles(miner, templates, { ...directory, signal: context.signal })
  return refusal ?? judged
}

/** What a path has. It is refused if it is not shown, or too large. */
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
  const detail = `status ${status}: is there such a chute, and may everybody see it?`
  return { ok: false, code: 'NOT_SHOWN', detail }
}
