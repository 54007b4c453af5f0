import {
  type Asking,
  AskingProblem,
  addTimeout,
  type Caller,
  type EpochContext,
  type Query,
  type Received,
  Undelivered,
} from './asking.ts'
import { cachePerEpoch } from './per-epoch.ts'

export const CHUTES_API = 'https://api.chutes.ai'
/** How long Chutes may take to say something about a chute or an account. */
export const LOOK_UP_MS = 30_000
/** Statuses that are about the key, its account or a chute. Protocol §5.4. */
const REFUSALS: readonly number[] = [401, 402, 403, 404]
const NO_MONEY = 402

interface KeyOptions extends Pick<Asking, 'exchange' | 'now' | 'on'> {
  readonly apiKey: string
  /** The subnet whose chutes are called; left out by anyone who calls a chute of their own. */
  readonly netuid?: number | undefined
  /** Between two looks at the account. */
  readonly pauseMs: number
}

/** An epoch as far as the account goes. */
interface EpochAccess {
  /** Resolves once its first look at the account is over. Undefined before its first request. */
  begun: Promise<void> | undefined
  /** Whether sampling paused for the account. */
  isPaused: boolean
}

/**
 * The key with which everything on Chutes is asked. A refusal may be about the key or about one
 * chute, whose owner can bring it about: the account tells. What was refused waits for that alone;
 * once the account is known not to be in order, everything does. It is looked at every `pauseMs`,
 * with an event each time; and before the first request of an epoch, since an account without the
 * role for a subnet is told of each of its chutes that it is not there. Protocol §5.4.
 */
export class ChutesKey {
  readonly #options: KeyOptions
  /** While the account is looked at, and for a moment after: was it in order all the time? */
  #check: Promise<boolean> | undefined
  /** Did the platform say that the account is not in order? Then everybody waits for the check. */
  #isBad = false
  readonly #accessByEpoch = cachePerEpoch<EpochAccess>(() => ({
    begun: undefined,
    isPaused: false,
  }))
  /** The ends of calls that waited for the account, if they end before their epoch. */
  readonly #paused = new WeakSet<AbortSignal>()

  /** @throws RangeError for what cannot be a key, which is not quoted. */
  constructor(options: KeyOptions) {
    if (!/^[!-~]+$/.test(options.apiKey))
      throw new RangeError('"apiKey" expected printable ASCII without spaces')
    this.#options = options
  }

  /**
   * Asks with the key. Rejects with `Undelivered` when that is refused, once it works again; but a
   * 401, 403 or 404 while the account is in order is the answer of the miner. The query may end
   * before the epoch. Protocol §5.4.
   */
  async ask(query: Query, context: EpochContext): Promise<Received> {
    const wait = async (check: Promise<boolean> = Promise.resolve(true)): Promise<boolean> => {
      const wasInOrder = await check
      if (!wasInOrder && query.signal !== context.signal) this.#paused.add(query.signal)
      return wasInOrder
    }
    const access = this.#accessByEpoch(context.epoch)
    access.begun ??= this.#checkAccess(context)
    await access.begun
    if (this.#isBad) await wait(this.#check)
    const { exchange, apiKey } = this.#options
    const received = await exchange({ ...query, headers: bearer(apiKey) })
    if (!REFUSALS.includes(received.status)) return received
    this.#check ??= this.#checkAccount(context)
    const wasInOrder = await wait(this.#check)
    if (wasInOrder && received.status !== NO_MONEY) return received
    throw new Undelivered(`status ${received.status}`)
  }

  /**
   * Reports whether an epoch is over in which sampling paused for the key; or, before that, whether
   * a call is over that waited for the key. `end` is the call's, if it has one of its own.
   */
  async wasRefused({ epoch, signal }: EpochContext, end: AbortSignal = signal): Promise<boolean> {
    if (!end.aborted && !signal.aborted) return false
    const isEpochOver = signal.aborted
    await this.#check
    return isEpochOver ? this.#accessByEpoch(epoch).isPaused : this.#paused.has(end)
  }

  /** Where the account is known to have no access, nothing is asked until it has. */
  async #checkAccess(context: EpochContext): Promise<void> {
    const { netuid } = this.#options
    if (netuid === undefined) return
    const account = await this.#account()
    const hasAccess = !isKnown(account) || mayCall(account, netuid)
    if (hasAccess || context.signal.aborted) return
    this.#isBad = true
    this.#check ??= this.#checkAccount(context)
  }

  /**
   * Resolves once the account is in order or the epoch over: was it all the time? The next check is
   * a while later.
   */
  async #checkAccount(context: EpochContext): Promise<boolean> {
    const wasInOrder = await this.#waitForOrder(context).catch(() => false)
    this.#isBad = false
    setTimeout(() => {
      this.#check = undefined
    }, this.#options.pauseMs / 10)
    return wasInOrder
  }

  async #waitForOrder({ epoch, signal }: EpochContext): Promise<boolean> {
    const { netuid } = this.#options
    const isWell = (account: KeyAccount): boolean =>
      isInOrder(account) && (netuid === undefined || mayCall(account, netuid))
    let account = await this.#account()
    if (isWell(account)) return true
    const access = this.#accessByEpoch(epoch)
    const wasPaused = access.isPaused
    let wasKnown = false
    while (!isWell(account)) {
      this.#report(account)
      access.isPaused = true
      this.#isBad = isKnown(account)
      wasKnown ||= this.#isBad
      await pause(this.#options.pauseMs, signal)
      account = await this.#account()
    }
    // That the platform could not say for a while must not cost a lane: a miner's refusals are what
    // has it asked so often.
    if (!wasPaused && !wasKnown) access.isPaused = false
    return false
  }

  #account(): Promise<KeyAccount> {
    const account = chutesAccount(this.#options.apiKey, this.#options)
    return account.catch(({ message }: Error) => ({
      ...{ status: 0, balance: 0, netuids: [], roles: [], ms: 0, aheadMs: Number.NaN },
      failure: message,
    }))
  }

  #report(account: KeyAccount): void {
    const error = createAccountProblem(account, this.#options.netuid)
    this.#options.on?.({ type: 'problem', task: { kind: 'chutes' }, error })
  }
}

/** Returns what is wrong with an account for which sampling pauses. */
function createAccountProblem(account: KeyAccount, netuid: number | undefined): AskingProblem {
  const { status, balance, failure = `status ${status}` } = account
  const problem = (code: AskingProblem['code'], why: string): AskingProblem =>
    new AskingProblem(code, `${why}: sampling pauses`)
  if (!isKnown(account))
    return problem('account-unknown', `does not return the account (${failure})`)
  if (status === 200 && netuid !== undefined && !mayCall(account, netuid))
    return problem('no-access', noAccessText(account, netuid))
  return problem(
    'key-refused',
    `refuses the API key (account: status ${status}, balance ${balance})`,
  )
}

/**
 * The bits by which an account's mask tells of its roles for subnets: one calls their private
 * chutes, one may delete them besides.
 */
const ROLES = { subnet_invoke: 2 ** 12, subnet_admin: 2 ** 10 }
type Role = keyof typeof ROLES
const ROLE_NAMES: readonly Role[] = ['subnet_invoke', 'subnet_admin']

/** `balance` is in dollars, NaN when there is none to read. */
export interface KeyAccount {
  readonly status: number
  readonly balance: number
  /** The subnets for which it has its roles. */
  readonly netuids: readonly number[]
  readonly roles: readonly Role[]
  /** How long the answer took. */
  readonly ms: number
  /** How far the clock here is ahead of Chutes', to half a second and half of `ms`; or NaN. */
  readonly aheadMs: number
  /** Why the account is not known: Chutes could not be reached, or returned no JSON. */
  readonly failure?: string
}

/** May the account call the private chutes of a subnet? Chutes answers it 404 for each if not. */
export function mayCall({ netuids, roles }: KeyAccount, netuid: number): boolean {
  return roles.length > 0 && netuids.includes(netuid)
}

/** What is wrong with an account that may not call the chutes of a subnet, and what to do. */
export function noAccessText(
  { netuids, roles }: Pick<KeyAccount, 'netuids' | 'roles'>,
  netuid: number,
): string {
  const has = `it has the roles [${roles.join(', ')}] for the subnets [${netuids.join(', ')}]`
  const advice = 'ask an admin of the subnet at Chutes, its owner, for the role subnet_invoke'
  return `lets the account call no chute of subnet ${netuid}, ${has}; ${advice}`
}

/** Did the platform say how the account is? */
function isKnown({ status }: KeyAccount): boolean {
  return status === 200 || REFUSALS.includes(status)
}

/** Can it be read with the key, and has it money? */
export function isInOrder({ balance }: Pick<KeyAccount, 'balance'>): boolean {
  return balance > 0
}

/**
 * The account behind a key, in one cheap call: status 200 when the key may read it, the balance
 * and the roles. Rejects when Chutes cannot be reached, and for what is no JSON.
 */
export async function chutesAccount(
  apiKey: string,
  { exchange, now }: Pick<Caller, 'exchange' | 'now'>,
): Promise<KeyAccount> {
  const { status, text, headers, ms } = await exchange({
    url: `${CHUTES_API}/users/me`,
    headers: bearer(apiKey),
    replyMs: LOOK_UP_MS,
    signal: AbortSignal.timeout(LOOK_UP_MS), // of its own: it still matters when an epoch ends
    now,
  })
  // A date is cut to its second, and was written half-way.
  // biome-ignore lint/style/noRestrictedGlobals: this reads a text, not the clock.
  const aheadMs = now() - ms / 2 - (Date.parse(String(headers.date)) + 500)
  const asked = { status, ms, aheadMs }
  if (status !== 200) return { ...asked, balance: Number.NaN, netuids: [], roles: [] }
  const { balance, netuids, permissions_bitmask: mask } = Object(JSON.parse(text))
  return {
    ...asked,
    balance: Number(balance),
    netuids: Array.isArray(netuids) ? netuids.filter(Number.isSafeInteger) : [],
    roles: ROLE_NAMES.filter((role) => (mask & ROLES[role]) !== 0),
  }
}

function bearer(apiKey: string): { readonly authorization: string } {
  return { authorization: `Bearer ${apiKey}` }
}

/** Resolves after `ms` milliseconds. Rejects once `signal` aborts, with its reason. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const end = addTimeout(ms, signal)
  if (!end.aborted) await new Promise((resolve) => end.addEventListener('abort', resolve))
  signal.throwIfAborted()
}
