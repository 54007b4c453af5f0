import { blake2b } from '@noble/hashes/blake2.js'
import { ApiPromise, WsProvider } from '@polkadot/api'
import type { SubmittableExtrinsic } from '@polkadot/api/types'
import type { DispatchError, EventRecord } from '@polkadot/types/interfaces'
import { type Account, account } from '../src/index.ts'

type Call = SubmittableExtrinsic<'promise'>

interface Event {
  readonly method: string
  readonly data: readonly unknown[]
}

/** A development chain whose sudo account is //Alice. */
export interface DevChain {
  readonly api: ApiPromise
  /** Whether the node is a puppet: it has RPCs that make blocks and write storage. */
  readonly isPuppet: boolean
  /** Makes `count` blocks, by default 1, or waits until they are finalized. */
  advance(count?: number): Promise<void>
  /** Returns the wanted calls of a pallet, except the calls that this runtime lacks. */
  calls(pallet: string, wanted: Readonly<Record<string, readonly unknown[]>>): Call[]
  /** Writes storage by pallet and item, and makes a block. Only for a puppet. */
  store(values: object): Promise<void>
  /**
   * Sends calls as one transaction: all or none take effect.
   * @throws Error, as a rejection, with the chain's refusal.
   */
  submit(signer: Account, calls: readonly Call[]): Promise<Event[]>
  /** Like `submit`, as root. */
  sudo(calls: readonly Call[]): Promise<Event[]>
  close(): Promise<void>
}

const ALICE = account(
  Buffer.from('e5be9a5092b81bca64be81d212e7f2f9eba183bb7a90954f7b76361f6edb5c0a', 'hex'),
)

const PATIENCE_MS = 1_800_000

/** Connects to a development chain, which makes blocks on its own or on request. */
export async function devChain(url: string): Promise<DevChain> {
  // The library's timeout of a minute is too short for many blocks on a busy machine.
  const provider = new WsProvider(url, undefined, undefined, PATIENCE_MS)
  const api = await ApiPromise.create({ provider, noInitWarn: true } as Parameters<
    typeof ApiPromise.create
  >[0])
  const { methods } = await api.rpc.rpc.methods()
  const isPuppet = methods.some((name) => name.toString() === 'dev_newBlock')

  async function advance(count = 1) {
    // Calls that were just sent have to reach the pool first.
    await new Promise((resolve) => setTimeout(resolve, 200))
    if (isPuppet) await provider.send('dev_newBlock', [{ count }])
    else await waitForFinalized(api, count)
  }
  async function store(values: object) {
    await provider.send('dev_setStorage', [values])
    await advance()
  }
  const calls: DevChain['calls'] = (pallet, wanted) =>
    Object.entries(wanted).flatMap(([name, args]) => api.tx[pallet]?.[name]?.(...args) ?? [])

  async function submit(signer: Account, batch: readonly Call[]): Promise<Event[]> {
    if (batch.length === 0) throw new Error('this runtime has none of the calls')
    const call = batch.length === 1 ? batch[0]! : api.tx.utility!.batchAll!([...batch])
    const signRaw = async ({ data }: { data: string }) => {
      const payload = Buffer.from(data.slice(2), 'hex')
      const signature = signer.sign(
        payload.length > 256 ? blake2b(payload, { dkLen: 32 }) : payload,
      )
      return { id: 0, signature: `0x01${Buffer.from(signature).toString('hex')}` as const }
    }
    const signed = await call.signAsync(signer.hotkey, { signer: { signRaw }, nonce: -1, era: 0 })
    const { number } = await api.rpc.chain.getHeader()
    await api.rpc.author.submitExtrinsic(signed)
    const hash = signed.hash.toHex()
    for (let block = number.toNumber() + 1; block < number.toNumber() + 100; ) {
      const { number: head } = await api.rpc.chain.getHeader(await api.rpc.chain.getFinalizedHead())
      if (head.toNumber() < block) await advance()
      else {
        const at = await api.rpc.chain.getBlockHash(block++)
        const { extrinsics } = (await api.rpc.chain.getBlock(at)).block
        const index = extrinsics.findIndex((extrinsic) => extrinsic.hash.toHex() === hash)
        if (index !== -1) return outcome(api, at.toHex(), index)
      }
    }
    throw new Error(`no block has ${batch.map(({ method }) => method.method).join(', ')}`)
  }
  const sudo: DevChain['sudo'] = (batch) =>
    submit(ALICE, [api.tx.sudo!.sudo!(api.tx.utility!.batchAll!([...batch]))])
  return { api, isPuppet, advance, store, calls, submit, sudo, close: () => api.disconnect() }
}

/**
 * Returns the events of one transaction.
 * @throws Error, as a rejection, if the transaction failed, or its calls as root failed.
 */
async function outcome(api: ApiPromise, at: string, index: number): Promise<Event[]> {
  const { query } = await api.at(at)
  const events = ((await query.system!.events!()) as unknown as EventRecord[])
    .filter(({ phase }) => phase.isApplyExtrinsic && phase.asApplyExtrinsic.toNumber() === index)
    .map(({ event }) => event)
  for (const { method, data } of events) {
    const first = data[0] as unknown as { isErr?: boolean; asErr: DispatchError } & DispatchError
    if (method === 'ExtrinsicFailed') throw new Error(nameOf(api, first))
    if (method === 'Sudid' && first.isErr) throw new Error(nameOf(api, first.asErr))
  }
  return events
}

function nameOf({ registry }: ApiPromise, error: DispatchError): string {
  return error.isModule ? registry.findMetaError(error.asModule).name : error.toString()
}

/** Resolves when `count` more blocks are finalized. */
async function waitForFinalized(api: ApiPromise, count: number): Promise<void> {
  let first: number | undefined
  let stop = () => {}
  await new Promise<void>((resolve, reject) => {
    const onHead = ({ number }: { number: { toNumber(): number } }) => {
      first ??= number.toNumber()
      if (number.toNumber() >= first + count) resolve()
    }
    api.rpc.chain.subscribeFinalizedHeads(onHead).then((end) => {
      stop = end
    }, reject)
  })
  stop()
}
