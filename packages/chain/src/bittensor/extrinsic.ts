import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { ApiPromise } from '@polkadot/api'
import type { Account } from '../account.ts'
import type { Head } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import type { Connection } from './connection.ts'
import type { FinalBlocks } from './final-blocks.ts'
import { asciiLine } from './node-message.ts'
import { dispatchRefusal, poolRefusal } from './refusal.ts'
import { type CallName, named } from './storage.ts'

/** How many blocks a call may wait, if its caller sets no earlier limit. */
const MORTALITY = 15

/**
 * The blocks in which a call is valid, from its birth to its deadline. `period`, their number, is a
 * power of two.
 */
interface Life {
  readonly birth: number
  readonly deadline: number
  readonly period: number
}

/** Sends calls and waits for their results. A chain has one sender, for all accounts. */
export class Sender {
  readonly #connection: Connection
  readonly #blocks: FinalBlocks
  #turn: Promise<unknown> = Promise.resolve()

  constructor(connection: Connection, blocks: FinalBlocks) {
    this.#connection = connection
    this.#blocks = blocks
  }

  /**
   * Signs a call that is valid up to the block `until`, and for at most 15 blocks. Resolves with
   * the finalized block that holds it.
   * @throws ChainError, as a rejection, with the chain's name for the refusal, by a node's pool or
   *   in a block; `AncientBirthBlock` if no block held the call in time.
   */
  async send(
    account: Account,
    call: Call,
    until: number = Number.POSITIVE_INFINITY,
  ): Promise<Head> {
    // Calls are signed one after the other: two at a time could get the same nonce.
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
    const life = lifeFrom(head.number, until)
    const birthHash = await this.#blocks.blockHash(life.birth)
    const hex = await this.#connection.use((api) => sign(api, account, { call, life, birthHash }))
    await this.#connection.use((api) => handToPool(api, hex))
    return { from: head.number + 1, deadline: life.deadline, hex }
  }

  /**
   * Is the call in the block?
   * @throws ChainError, as a rejection, if it is there and failed.
   */
  async #isIncluded({ hash }: Head, hex: string): Promise<boolean> {
    return this.#connection.use(async (api) => {
      const { block } = (await api.rpc.chain.getBlock.raw(`0x${hash}`)) as {
        block: { extrinsics: string[] }
      }
      const index = block.extrinsics.indexOf(hex)
      if (index === -1) return false
      const { query, registry } = await api.at(`0x${hash}`)
      const refusal = dispatchRefusal(registry, await query.system?.events?.(), index)
      if (refusal) throw refusal
      return true
    })
  }
}

/**
 * The blocks in which a call is valid that is made at `head`: up to `until`, and 15 at most.
 * Protocol §5.2.
 * @throws ChainError `AncientBirthBlock` if no block is left for it.
 */
function lifeFrom(head: number, until: number): Life {
  const deadline = Math.min(until, head + MORTALITY)
  // The deadline is the last of `period` blocks, a power of two, in which the call is valid.
  let period = 4
  while (period < deadline - head + 1) period *= 2
  const birth = deadline - period + 1
  if (deadline <= head || birth < 0) throw new ChainError('AncientBirthBlock')
  return { birth, deadline, period }
}

async function sign(
  api: ApiPromise,
  account: Account,
  { call, life, birthHash }: { call: Call; life: Life; birthHash: string },
): Promise<string> {
  // The node counts the calls in its pool.
  const nonce = await api.rpc.system.accountNextIndex(account.hotkey)
  const { birth, period } = life
  const era = api.registry.createType('ExtrinsicEra', { current: birth, period })
  const options = { nonce, era, blockHash: `0x${birthHash}`, signer: signerOf(account) }
  const signed = await (await call(api)).signAsync(account.hotkey, options)
  return signed.toHex()
}

/** The byte by which Substrate's MultiSignature names a scheme. */
const MULTI_SIGNATURE = { ed25519: '00', sr25519: '01' } as const

/**
 * The account as a signer for the library. If a payload has more than 256 bytes, its hash is
 * signed.
 */
function signerOf(account: Account) {
  const signRaw = async ({ data }: { readonly data: string }) => {
    const payload = hexToBytes(data.slice(2))
    const message = payload.length > 256 ? blake2b(payload, { dkLen: 32 }) : payload
    const signature = bytesToHex(account.sign(message))
    return { id: 0, signature: `0x${MULTI_SIGNATURE[account.scheme]}${signature}` } as const
  }
  return { signRaw }
}

async function handToPool(api: ApiPromise, hex: string): Promise<void> {
  try {
    await api.rpc.author.submitExtrinsic(hex)
  } catch (error) {
    const refusal = poolRefusal(error)
    if (refusal) throw refusal // null: the pool has the call already, from an earlier try
  }
}

/** Makes a call for the runtime of the node that takes it. */
export type Call = (api: ApiPromise) => Promise<Submittable>
type Submittable = ReturnType<ApiPromise['tx'][string][string]>

/**
 * The runtime's call of this name. It rejects with ChainError `NotInRuntime` if there is no such
 * call, or it takes other arguments.
 */
export const callOf =
  (name: CallName, ...args: unknown[]): Call =>
  async ({ tx }: ApiPromise): Promise<Submittable> => {
    const call = named(tx, name)
    if (!call) throw new ChainError('NotInRuntime', `this chain's runtime has no call ${name}`)
    try {
      return call(...args)
    } catch (cause) {
      const said = asciiLine((cause as Error).message)
      throw new ChainError('NotInRuntime', `${name} takes other arguments: ${said}`, { cause })
    }
  }
