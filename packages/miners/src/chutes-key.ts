import {
  addTimeout,
  type Caller,
  type CallOptions,
  DeliveryError,
  type EpochContext,
  type HttpResponse,
  MinerError,
  type Query,
} from './asking.ts'
import { cachePerEpoch } from './per-epoch.ts'

export const CHUTES_API = 'https://api.chutes.ai'
/** Time limit of a request about a chute, an account or a model's file, in milliseconds. */
export const LOOK_UP_MS = 30_000
/** Statuses that concern the key, its account or a chute. Protocol §5.4. */
const REFUSALS: readonly number[] = [401, 402, 403, 404]
const NO_MONEY = 402

interface KeyOptions extends Pick<CallOptions, 'exchange' | 'now' | 'on'> {
  readonly apiKey: string
  readonly netuid?: number | undefined
  /** Milliseconds between account checks. */
  readonly pauseMs: number
}

interface EpochAccess {
  /** Resolves after the first account check. Undefined before the first request. */
  begun: Promise<void> | undefined
  /** Whether sampling paused because of the account. */
  isPaused: boolean
}

/**
 * The API key for all requests to Chutes. A refusal concerns the key, or only one chute, whose
 * owner can cause it: the state of the account shows which. Only the refused request waits for the
 * account check, but all requests wait while the account is known not to be in order. Meanwhile the
 * account is checked every `pauseMs`, with an event each time. It is also checked before the first
 * request of an epoch. Protocol §5.4.
 */
export class ChutesKey {
  readonly #options: KeyOptions
  /**
   * The account check in progress, or the last check for a tenth of `pauseMs` after its end.
   * Resolves with whether the account was in order throughout.
   */
  #check: Promise<boolean> | undefined
  /** Whether the account is known not to be in order. */
  #isBad = false
  readonly #access = cachePerEpoch<EpochAccess>(() => ({ begun: undefined, isPaused: false }))
  /** The signals of calls that waited for the account and can end before their epoch. */
  readonly #paused = new WeakSet<AbortSignal>()

  /** @throws RangeError for an invalid key, which is not quoted. */
  constructor(options: KeyOptions) {
    if (!/^[!-~]+$/.test(options.apiKey))
      throw new RangeError('"apiKey" expected printable ASCII without spaces')
    this.#options = options
  }

  /**
   * Sends a request with the key. If the key is refused, and for any 402, rejects with
   * `DeliveryError` once the account is in order or the epoch is over. A 401, 403 or 404 while the
   * account is in order is the miner's response. Protocol §5.4.
   */
  async ask(query: Query, context: EpochContext): Promise<HttpResponse> {
    const access = this.#access(context.epoch)
    access.begun ??= this.#checkAccess(context)
    await access.begun
    if (this.#isBad) await this.#wait(query, context)
    const { exchange, apiKey } = this.#options
    const received = await exchange({ ...query, headers: bearer(apiKey) })
    if (!REFUSALS.includes(received.status)) return received
    const wasInOrder = await this.#wait(query, context)
    if (wasInOrder && received.status !== NO_MONEY) return received
    throw new DeliveryError(`status ${received.status}`)
  }

  async #wait({ signal }: Query, context: EpochContext): Promise<boolean> {
    this.#check ??= this.#checkAccount(context)
    const wasInOrder = await this.#check
    if (!wasInOrder && signal !== context.signal) this.#paused.add(signal)
    return wasInOrder
  }

  /**
   * Reports whether sampling paused in an epoch because of the key or, before the epoch ends,
   * whether a call that has ended waited for the key. `end` is the call's signal. Default: the
   * epoch's.
   */
  async wasRefused({ epoch, signal }: EpochContext, end: AbortSignal = signal): Promise<boolean> {
    const isEpochOver = signal.aborted
    if (!end.aborted && !isEpochOver) return false
    await this.#check
    return isEpochOver ? this.#access(epoch).isPaused : this.#paused.has(end)
  }

  /** Blocks all requests if the account is known to have no access, until it has access. */
  async #checkAccess(context: EpochContext): Promise<void> {
    const { netuid } = this.#options
    if (netuid === undefined) return
    const account = await this.#account()
    if (!isKnown(account) || canCall(account, netuid) || context.signal.aborted) return
    this.#isBad = true
    this.#check ??= this.#checkAccount(context)
  }

  /** Resolves when the account is in order or the epoch is over, with the result of `#check`. */
  async #checkAccount(context: EpochContext): Promise<boolean> {
    const wasInOrder = await this.#waitForOrder(context).catch(() => false)
    this.#isBad = false
    setTimeout(() => {
      this.#check = undefined
    }, this.#options.pauseMs / 10)
    return wasInOrder
  }

  async #waitForOrder({ epoch, signal }: EpochContext): Promise<boolean> {
    const isWell = (account: KeyAccount): boolean =>
      isInOrder(account) && canCall(account, this.#options.netuid)
    let account = await this.#account()
    if (isWell(account)) return true
    const access = this.#access(epoch)
    const wasPaused = access.isPaused
    let wasKnown = false
    while (!isWell(account)) {
      const error = createAccountProblem(account, this.#options.netuid)
      this.#options.on?.({ type: 'problem', task: { kind: 'chutes' }, error })
      access.isPaused = true
      this.#isBad = isKnown(account)
      wasKnown ||= this.#isBad
      await pause(this.#options.pauseMs, signal)
      account = await this.#account()
    }
    // A platform that does not report the account must not cost the lane: a miner that refuses
    // requests can cause these checks.
    if (!wasPaused && !wasKnown) access.isPaused = false
    return false
  }

  #account(): Promise<KeyAccount> {
    const account = fetchAccount(this.#options.apiKey, this.#options)
    return account.catch(({ message }: Error) => ({
      ...{ status: 0, balance: 0, netuids: [], roles: [], ms: 0, aheadMs: Number.NaN },
      failure: message,
    }))
  }
}

function createAccountProblem(account: KeyAccount, netuid: number | undefined): MinerError {
  const { status, balance, failure = `status ${status}` } = account
  const problem = (code: MinerError['code'], text: string): MinerError =>
    new MinerError(code, `${text}: sampling pauses`)
  if (!isKnown(account))
    return problem('account-unknown', `does not report the account (${failure})`)
  if (status === 200 && netuid !== undefined && !canCall(account, netuid))
    return problem('no-access', describeMissingAccess(account, netuid))
  const state = `account: status ${status}, balance ${balance}`
  return problem('key-refused', `refuses the API key (${state})`)
}

/**
 * The bits of an account's permission mask for its roles: `subnet_invoke` may call a subnet's
 * private chutes, `subnet_admin` may also delete them.
 */
const ROLES = { subnet_invoke: 4096, subnet_admin: 1024 }

/** The account of a key. `balance` is in dollars, NaN if it is not readable. */
export interface KeyAccount {
  /** HTTP status of the response: 200 if the key may read the account. */
  readonly status: number
  readonly balance: number
  /** Subnets for which the account has its roles. */
  readonly netuids: readonly number[]
  readonly roles: readonly string[]
  /** Response time in milliseconds. */
  readonly ms: number
  /**
   * Offset of the local clock from Chutes' clock in milliseconds, positive if the local clock is
   * ahead. Exact to within 500 ms plus half of `ms`. NaN if it is unknown.
   */
  readonly aheadMs: number
  /** Reason for an unknown account: Chutes was unreachable or did not return JSON. */
  readonly failure?: string
}

/**
 * Reports whether the account may call a subnet's private chutes; otherwise Chutes answers 404.
 * True without a subnet.
 */
export function canCall({ netuids, roles }: KeyAccount, netuid: number | undefined): boolean {
  return netuid === undefined || (roles.length > 0 && netuids.includes(netuid))
}

/** Returns why an account may not call the chutes of a subnet, and how to fix it. */
export function describeMissingAccess(
  { netuids, roles }: Pick<KeyAccount, 'netuids' | 'roles'>,
  netuid: number,
): string {
  const has = `its roles are [${roles.join(', ')}] for the subnets [${netuids.join(', ')}]`
  const advice =
    'ask an admin of the subnet at Chutes, such as its owner, for the role subnet_invoke'
  return `lets the account call no chute of subnet ${netuid}: ${has}; ${advice}`
}

/** Reports whether the platform reported the state of the account. */
function isKnown({ status }: KeyAccount): boolean {
  return status === 200 || REFUSALS.includes(status)
}

/** Reports whether the account has money, and the key can read the account. */
export function isInOrder({ balance }: Pick<KeyAccount, 'balance'>): boolean {
  return balance > 0
}

/**
 * Fetches the account of a key: the status is 200 if the key may read it. Rejects if Chutes is
 * unreachable or does not return JSON.
 */
export async function fetchAccount(
  apiKey: string,
  { exchange, now }: Pick<Caller, 'exchange' | 'now'>,
): Promise<KeyAccount> {
  const { status, text, headers, ms } = await exchange({
    url: `${CHUTES_API}/users/me`,
    headers: bearer(apiKey),
    replyMs: LOOK_UP_MS,
    signal: AbortSignal.timeout(LOOK_UP_MS), // the account also matters after an epoch's end
    now,
  })
  // The date is truncated to seconds, and is assumed to be written after half of the response time.
  // biome-ignore lint/style/noRestrictedGlobals: this parses a text and does not read the clock.
  const aheadMs = now() - ms / 2 - (Date.parse(String(headers.date)) + 500)
  const response = { status, ms, aheadMs }
  if (status !== 200) return { ...response, balance: Number.NaN, netuids: [], roles: [] }
  const { balance, netuids, permissions_bitmask: mask } = Object(JSON.parse(text))
  return {
    ...response,
    balance: Number(balance),
    netuids: Array.isArray(netuids) ? netuids.filter(Number.isSafeInteger) : [],
    roles: Object.entries(ROLES).flatMap(([role, bit]) => ((mask & bit) === 0 ? [] : role)),
  }
}

function bearer(apiKey: string): { readonly authorization: string } {
  return { authorization: `Bearer ${apiKey}` }
}

/** Resolves after `ms` milliseconds. Rejects with the reason of `signal` once it aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const end = addTimeout(ms, signal)
  if (!end.aborted) await new Promise((resolve) => end.addEventListener('abort', resolve))
  signal.throwIfAborted()
}
