import { setTimeout as sleep } from 'node:timers/promises'
import type { Setup } from '../service/setup.ts'
import { exchange, type Query, type Received, Undelivered } from './exchange.ts'

export const CHUTES_API = 'https://api.chutes.ai'
/** How long Chutes may take to say something about a chute or an account. */
export const LOOK_UP_MS = 30_000
const REFUSALS = [401, 402, 403]
const NO_MONEY = 402

interface KeyOptions {
  readonly apiKey: string
  readonly api: string
  /** Between two looks at the account. */
  readonly pauseMs: number
  readonly on: Setup['on']
}

/**
 * The key with which everything on Chutes is asked. While it is refused nothing is asked: the
 * account is looked at every `pauseMs`, with an event each time. Protocol §5.4.
 */
export class ChutesKey {
  readonly #options: KeyOptions
  /** What everybody waits for while the account is looked at, and for a moment after. */
  #check: Promise<void> | undefined
  readonly #paused = new WeakSet<AbortSignal>()

  /** @throws RangeError for what cannot be a key, which is not quoted. */
  constructor(options: KeyOptions) {
    if (!/^[!-~]+$/.test(options.apiKey))
      throw new RangeError('"apiKey" expected printable ASCII without spaces')
    this.#options = options
  }

  /** Asks with the key. Rejects with `Undelivered` when that is refused, once it works again. */
  async ask(query: Query): Promise<Received> {
    await this.#check
    const received = await exchange({ ...query, headers: bearer(this.#options.apiKey) })
    if (!REFUSALS.includes(received.status)) return received
    this.#check ??= this.#pause(received.status, query.signal)
    await this.#check
    throw new Undelivered('refused')
  }

  /** Did sampling pause for the key in the epoch of this signal? */
  async wasRefused(signal: AbortSignal): Promise<boolean> {
    await this.#check
    return this.#paused.has(signal)
  }

  /** Resolves once the account is well or the epoch over. The next check is a while later. */
  async #pause(status: number, signal: AbortSignal): Promise<void> {
    await this.#waitForMoney(status, signal).catch(() => undefined)
    const forget = (): void => {
      this.#check = undefined
    }
    setTimeout(forget, this.#options.pauseMs / 10)
  }

  async #waitForMoney(status: number, signal: AbortSignal): Promise<void> {
    const { pauseMs } = this.#options
    let account = await this.#account()
    // Where it had money all the time, a 402 is about one chute, whose owner cannot pay: a miner
    // can bring that about, and must not stop the sampling of others by it.
    if (status === NO_MONEY && hasMoney(account)) return
    do {
      this.#report(account)
      this.#paused.add(signal)
      await sleep(pauseMs, undefined, { signal })
      account = await this.#account()
    } while (!hasMoney(account))
  }

  /** By a signal of its own: how the account is still matters at the end of the epoch. */
  #account(): Promise<KeyAccount> {
    const { apiKey, api } = this.#options
    const account = chutesAccount(apiKey, AbortSignal.timeout(LOOK_UP_MS), api)
    return account.catch(() => ({ status: 0, balance: 0 }))
  }

  #report({ status, balance }: KeyAccount): void {
    const why = `account: status ${status}, balance ${balance}`
    const error = new Error(`refuses the API key (${why}): sampling pauses`)
    this.#options.on({ type: 'problem', what: 'Chutes', error })
  }
}

/** `balance` is in dollars, NaN when there is none to read. */
interface KeyAccount {
  readonly status: number
  readonly balance: number
}

function hasMoney({ balance }: KeyAccount): boolean {
  return balance > 0
}

/**
 * The account behind a key, in one cheap call: status 200 when the key may read it, and the
 * balance. Rejects when Chutes cannot be reached.
 */
export async function chutesAccount(
  apiKey: string,
  signal: AbortSignal,
  api: string = CHUTES_API,
): Promise<KeyAccount> {
  const { status, text } = await exchange({
    url: `${api}/users/me`,
    headers: bearer(apiKey),
    replyMs: LOOK_UP_MS,
    signal,
    now: Date.now,
  })
  if (status !== 200) return { status, balance: Number.NaN }
  return { status, balance: Number(Object(JSON.parse(text)).balance) }
}

function bearer(apiKey: string): { readonly authorization: string } {
  return { authorization: `Bearer ${apiKey}` }
}
