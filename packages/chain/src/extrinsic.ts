import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { ApiPromise } from '@polkadot/api'
import type { Account } from './account.ts'
import { ChainError, type Head } from './chain.ts'
import type { Connection } from './connection.ts'
import type { FinalBlocks } from './final-blocks.ts'
import { dispatchRefusal, poolRefusal } from './refusal.ts'

/** Blocks that a call may wait for, when its caller does not say less. */
const MORTALITY = 15

/** What a call is, on the runtime of the node that takes it. */
export type Call = (api: ApiPromise) => Promise<Submittable>
export type Submittable = ReturnType<ApiPromise['tx'][string][string]>

/** Sends calls and tells what became of them, one sender for all accounts of a chain. */
export class Sender {
  readonly #connection: Connection
  readonly #blocks: FinalBlocks
  #turn: Promise<unknown> = Promise.resolve()
  /** Nonces under way, by hotkey, with the last block each may be in. */
  readonly #waiting = new Map<string, { readonly nonce: number; readonly deadline: number }[]>()

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
      await this.#blocks.reach(number)
      const head = await this.#included(number, hex)
      if (head) return head
    }
    throw new ChainError('AncientBirthBlock')
  }

  async #submit(account: Account, call: Call, until: number) {
    const head = await this.#blocks.head()
    const deadline = Math.min(until, head.number + MORTALITY)
    // A mortal call is valid in `period` blocks from its birth on, a power of two: counted back
    // from the deadline.
    let period = 4
    while (period < deadline - head.number + 1) period *= 2
    const birth = deadline - period + 1
    if (deadline <= head.number || birth < 0) throw new ChainError('AncientBirthBlock')
    const { hotkey } = account
    const waiting = (this.#waiting.get(hotkey) ?? []).filter((sent) => sent.deadline >= head.number)
    const blockHash = `0x${await this.#blocks.blockHash(birth)}`
    const { nonce, hex } = await this.#connection.use(async (api) => {
      const next = (await api.rpc.system.accountNextIndex(hotkey)).toNumber()
      const nonce = Math.max(next, ...waiting.map((sent) => sent.nonce + 1))
      const era = api.registry.createType('ExtrinsicEra', { current: birth, period })
      const signRaw = async ({ data }: { readonly data: string }) => {
        const payload = hexToBytes(data.slice(2))
        const signature = account.sign(
          payload.length > 256 ? blake2b(payload, { dkLen: 32 }) : payload,
        )
        return { id: 0, signature: `0x01${bytesToHex(signature)}` } as const // 1: sr25519
      }
      const options = { nonce, era, blockHash, signer: { signRaw } }
      const signed = await (await call(api)).signAsync(hotkey, options)
      return { nonce, hex: signed.toHex() }
    })
    await this.#connection.use((api) =>
      api.rpc.author.submitExtrinsic(hex).catch((error) => {
        const refusal = poolRefusal(error)
        if (refusal) throw refusal // without one it is in the pool already, from a try before
      }),
    )
    this.#waiting.set(hotkey, [...waiting, { nonce, deadline }])
    return { from: head.number + 1, deadline, hex }
  }

  /** The head of a block that carried the call out; null when the call is not in it. */
  async #included(number: number, hex: string): Promise<Head | null> {
    const hash = await this.#blocks.blockHash(number)
    return this.#connection.use(async (api) => {
      const { block } = (await api.rpc.chain.getBlock.raw(`0x${hash}`)) as {
        block: { extrinsics: string[] }
      }
      const index = block.extrinsics.indexOf(hex)
      if (index === -1) return null
      const { query, registry } = await api.at(`0x${hash}`)
      const refusal = dispatchRefusal(registry, await query.system?.events?.(), index)
      if (refusal) throw refusal
      return { number, hash }
    })
  }
}
