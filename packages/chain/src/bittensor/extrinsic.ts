import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { ApiPromise } from '@polkadot/api'
import type { Account } from '../account.ts'
import type { Head } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import type { Call } from './call.ts'
import type { Connection } from './connection.ts'
import type { FinalBlocks } from './final-blocks.ts'
import { dispatchRefusal, poolRefusal } from './refusal.ts'

/** Blocks that a call may wait for, when its caller does not say less. */
const MORTALITY = 15

/** The blocks in which a call is valid: a power of two of them, from its birth to its deadline. */
interface Life {
  readonly birth: number
  readonly deadline: number
  readonly period: number
}

/** A call under way. */
interface Sent {
  readonly nonce: number
  /** The last block it may be in. */
  readonly deadline: number
}

/** Sends calls and tells what became of them, one sender for all accounts of a chain. */
export class Sender {
  readonly #connection: Connection
  readonly #blocks: FinalBlocks
  #turn: Promise<unknown> = Promise.resolve()
  /** By hotkey. */
  readonly #underWay = new Map<string, readonly Sent[]>()

  constructor(connection: Connection, blocks: FinalBlocks) {
    this.#connection = connection
    this.#blocks = blocks
  }

  /**
   * Signs a call that dies after `until`, or after 15 blocks, and resolves with the finalized block
   * that holds it.
   * @throws ChainError with the chain's name for its refusal, by pool or by dispatch;
   *   `AncientBirthBlock` when no block took it in time.
   */
  async send(
    account: Account,
    call: Call,
    until: number = Number.POSITIVE_INFINITY,
  ): Promise<Head> {
    // One after the other, or two would take one nonce.
    const sending = this.#turn.then(() => this.#submit(account, call, until))
    this.#turn = sending.catch(() => undefined)
    const { from, deadline, hex } = await sending
    for (let number = from; number <= deadline; number++) {
      const head = await this.#blocks.reach(number)
      if (await this.#isIncluded(head, hex)) return head
    }
    throw new ChainError('AncientBirthBlock')
  }

  async #submit(
    account: Account,
    call: Call,
    until: number,
  ): Promise<{ from: number; deadline: number; hex: string }> {
    const head = await this.#blocks.head()
    const life = lifeFrom(head.number, until)
    const { hotkey } = account
    const waiting = (this.#underWay.get(hotkey) ?? []).filter(
      ({ deadline }) => deadline >= head.number,
    )
    const lowestNonce = Math.max(0, ...waiting.map(({ nonce }) => nonce + 1))
    const birthHash = await this.#blocks.blockHash(life.birth)
    const { nonce, hex } = await this.#connection.use((api) =>
      sign(api, account, { call, life, birthHash, lowestNonce }),
    )
    await this.#connection.use((api) => handToPool(api, hex))
    this.#underWay.set(hotkey, [...waiting, { nonce, deadline: life.deadline }])
    return { from: head.number + 1, deadline: life.deadline, hex }
  }

  /** Did the block carry the call out? */
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
 * A mortal call dies after `until`, or after 15 blocks. Protocol §5.2.
 * @throws ChainError `AncientBirthBlock` when there is no block left for it.
 */
function lifeFrom(head: number, until: number): Life {
  const deadline = Math.min(until, head + MORTALITY)
  // It is valid in `period` blocks from its birth on, a power of two: counted back from the
  // deadline.
  let period = 4
  while (period < deadline - head + 1) period *= 2
  const birth = deadline - period + 1
  if (deadline <= head || birth < 0) throw new ChainError('AncientBirthBlock')
  return { birth, deadline, period }
}

interface Unsigned {
  readonly call: Call
  readonly life: Life
  readonly birthHash: string
  readonly lowestNonce: number
}

async function sign(
  api: ApiPromise,
  account: Account,
  { call, life, birthHash, lowestNonce }: Unsigned,
): Promise<{ nonce: number; hex: string }> {
  const next = (await api.rpc.system.accountNextIndex(account.hotkey)).toNumber()
  const nonce = Math.max(next, lowestNonce)
  const { birth, period } = life
  const era = api.registry.createType('ExtrinsicEra', { current: birth, period })
  const options = { nonce, era, blockHash: `0x${birthHash}`, signer: signerOf(account) }
  const signed = await (await call(api)).signAsync(account.hotkey, options)
  return { nonce, hex: signed.toHex() }
}

/** The account as the library's signer; a payload of more than 256 bytes is signed by its hash. */
function signerOf(account: Account) {
  const signRaw = async ({ data }: { readonly data: string }) => {
    const payload = hexToBytes(data.slice(2))
    const message = payload.length > 256 ? blake2b(payload, { dkLen: 32 }) : payload
    const signature = bytesToHex(account.sign(message))
    return { id: 0, signature: `0x01${signature}` } as const // 1: sr25519
  }
  return { signRaw }
}

async function handToPool(api: ApiPromise, hex: string): Promise<void> {
  try {
    await api.rpc.author.submitExtrinsic(hex)
  } catch (error) {
    const refusal = poolRefusal(error)
    if (refusal) throw refusal // without one it is in the pool already, from a try before
  }
}
