import { concatBytes } from '@noble/hashes/utils.js'
import type { ApiPromise } from '@polkadot/api'
import { decodeAddress } from '@polkadot/util-crypto/address'
import type { Account } from '../account.ts'
import type { Head } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import type { FinalBlocks } from './final-blocks.ts'
import { toAsciiLine } from './node-message.ts'
import { poolRefusal, readDispatchRefusal } from './refusal.ts'
import { type CallName, requireItem } from './runtime-faults.ts'

/** Maximum number of blocks for which a call may wait. */
const MORTALITY = 15

/** Sends calls and waits for their results. A chain has one sender for all accounts. */
export class Sender {
  readonly #blocks: FinalBlocks
  #turn: Promise<unknown> = Promise.resolve()

  constructor(blocks: FinalBlocks) {
    this.#blocks = blocks
  }

  /**
   * Signs and sends a call that is valid up to the block `until`, and for at most 15 blocks.
   * Resolves with the finalized block that contains it.
   * @throws ChainError, as a rejection: the reason that a node's pool refused the call, or that it
   *   failed in its block; `AncientBirthBlock` if no block contained the call in time.
   */
  async send(
    account: Account,
    call: Call,
    until: number = Number.POSITIVE_INFINITY,
  ): Promise<Head> {
    // Calls are signed one at a time: two concurrent calls could get the same nonce.
    const sending = this.#turn.then(() => this.#submit(account, call, until))
    this.#turn = sending.catch(() => undefined)
    const { from, deadline, hex } = await sending
    for (let number = from; number <= deadline; number++) {
      const head = await this.#blocks.reach(number)
      if (await this.#isIncluded(head, hex)) return head
    }
    throw new ChainError('AncientBirthBlock')
  }

  async #submit(account: Account, call: Call, until: number) {
    const head = await this.#blocks.head()
    const lifetime = computeLifetime(head.number, until)
    const birthHash = await this.#blocks.blockHash(lifetime.birth)
    const hex = await this.#blocks.use((api) => sign(api, account, { call, lifetime, birthHash }))
    await this.#blocks.use((api) => submitToPool(api, hex))
    return { from: head.number + 1, deadline: lifetime.deadline, hex }
  }

  /** Reports whether the block contains the call. Rejects with a ChainError if the call failed. */
  async #isIncluded({ hash }: Head, hex: string): Promise<boolean> {
    return this.#blocks.use(async (api) => {
      const { block } = (await api.rpc.chain.getBlock.raw(`0x${hash}`)) as {
        block: { extrinsics: string[] }
      }
      const index = block.extrinsics.indexOf(hex)
      if (index === -1) return false
      const { query, registry } = await api.at(`0x${hash}`)
      const refusal = readDispatchRefusal(registry, await query.system?.events?.(), index)
      if (refusal) throw refusal
      return true
    })
  }
}

/**
 * Returns the blocks in which a call made at `head` is valid, from `birth` to `deadline`. The
 * deadline is `until` or, if that is earlier, 15 blocks after `head`. The number of the blocks,
 * `period`, is a power of two, so `birth` may be before `head`. Protocol §5.2.
 * @throws ChainError `AncientBirthBlock` if no block is left for the call, or `birth` is negative.
 */
function computeLifetime(head: number, until: number) {
  const deadline = Math.min(until, head + MORTALITY)
  let period = 4
  while (period < deadline - head + 1) period *= 2
  const birth = deadline - period + 1
  if (deadline <= head || birth < 0) throw new ChainError('AncientBirthBlock')
  return { birth, deadline, period }
}

type Lifetime = ReturnType<typeof computeLifetime>

async function sign(
  api: ApiPromise,
  account: Account,
  { call, lifetime, birthHash }: { call: Call; lifetime: Lifetime; birthHash: string },
): Promise<string> {
  // This nonce takes the calls in the node's pool into account.
  const nonce = await api.rpc.system.accountNextIndex(account.hotkey)
  const { birth, period } = lifetime
  const era = api.registry.createType('ExtrinsicEra', { current: birth, period })
  const options = { nonce, era, blockHash: `0x${birthHash}` }
  const signed = await (await call(api)).signAsync(toKeyPair(account), options)
  return signed.toHex()
}

/** The byte for a scheme in Substrate's MultiSignature. */
const MULTI_SIGNATURE = { ed25519: 0, sr25519: 1 } as const

/** Returns a key pair for @polkadot/api. It signs a payload or, if that is long, its hash. */
function toKeyPair({ hotkey, scheme, sign }: Account) {
  const publicKey = decodeAddress(hotkey)
  return {
    address: hotkey,
    addressRaw: publicKey,
    publicKey,
    sign: (message: Uint8Array) =>
      concatBytes(Uint8Array.of(MULTI_SIGNATURE[scheme]), sign(message)),
  }
}

async function submitToPool(api: ApiPromise, hex: string): Promise<void> {
  try {
    await api.rpc.author.submitExtrinsic(hex)
  } catch (error) {
    const refusal = poolRefusal(error)
    if (refusal) throw refusal // null: the pool has the call from an earlier attempt
  }
}

export type Call = (api: ApiPromise) => Promise<Submittable>
type Submittable = ReturnType<ApiPromise['tx'][string][string]>

/**
 * Returns a builder of the runtime's call `name`. It rejects with ChainError `NotInRuntime` if the
 * runtime lacks the call or expects other arguments.
 */
export const createCall =
  (name: CallName, ...args: unknown[]): Call =>
  async ({ tx }: ApiPromise): Promise<Submittable> => {
    const call = requireItem(tx, name)
    try {
      return call(...args)
    } catch (cause) {
      const reason = toAsciiLine((cause as Error).message)
      throw new ChainError('NotInRuntime', `${name} expects other arguments: ${reason}`, { cause })
    }
  }
