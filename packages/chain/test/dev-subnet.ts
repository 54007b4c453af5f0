import { randomBytes } from 'node:crypto'
import { blake2b } from '@noble/hashes/blake2.js'
import { ApiPromise, WsProvider } from '@polkadot/api'
import type { SubmittableExtrinsic } from '@polkadot/api/types'
import { type Account, account } from '../src/index.ts'
import type { Limits } from './chain-suite.ts'

type Call = SubmittableExtrinsic<'promise'>
type Events = { readonly section: string; readonly method: string; readonly data: readonly unknown[] }[]

export interface SubnetOptions {
  readonly validators: number
  readonly miners: number
  /** Blocks between two assignments of permits. */
  readonly tempo?: number
  /** Tempos between a commit of weights and its reveal; 0, the default, for weights in the open. */
  readonly revealPeriod?: number
  /** Limits that are set once all is ready, where the stake threshold and the bytes are the whole chain's. */
  readonly limits?: Limits | undefined
  /** Makes a key; random ones without. */
  readonly newAccount?: () => Account
}

/** A development chain: whoever asks is //Alice, and she is sudo. */
export interface DevChain {
  readonly api: ApiPromise
  /** Are there RPCs to make blocks and to write storage? */
  readonly isPuppet: boolean
  /** Makes blocks, one unless told, or waits until so many more are finalized. */
  advance(count?: number): Promise<void>
  /** Of a pallet, those calls of these that this runtime has. */
  calls(pallet: string, wanted: Readonly<Record<string, readonly unknown[]>>): Call[]
  /** Writes storage, where that is possible, and makes a block on it: by pallet and item. */
  store(values: object): Promise<void>
  /** Carries out calls, all or none, as one transaction. @throws Error with the chain's refusal. */
  submit(signer: Account, calls: readonly Call[]): Promise<Events>
  /** The same as root. */
  sudo(calls: readonly Call[]): Promise<Events>
  close(): Promise<void>
}

export interface DevSubnet extends DevChain {
  readonly netuid: number
  /** With stake and permits. Hotkeys have no balance: one coldkey, unknown to all but this, owns them and the subnet. */
  readonly validators: readonly Account[]
  /** Registered, without stake. */
  readonly miners: readonly Account[]
  /** Not registered anywhere. */
  readonly stranger: Account
}

const TAO = 1_000_000_000n
const ALICE = account(Buffer.from('e5be9a5092b81bca64be81d212e7f2f9eba183bb7a90954f7b76361f6edb5c0a', 'hex'))

/** Connects to a development chain, whether it makes blocks by itself or only when told to. */
export async function devChain(url: string): Promise<DevChain> {
  const provider = new WsProvider(url)
  const api = await ApiPromise.create({ provider, noInitWarn: true } as Parameters<typeof ApiPromise.create>[0])
  const { methods } = await api.rpc.rpc.methods()
  const isPuppet = methods.some((name) => name.toString() === 'dev_newBlock')

  async function advance(count = 1) {
    await new Promise((resolve) => setTimeout(resolve, 200)) // what is on its way to the pool should be in the block
    if (isPuppet) await provider.send('dev_newBlock', [{ count }])
    else await finalized(api, count)
  }
  async function store(values: object) {
    await provider.send('dev_setStorage', [values])
    await advance()
  }
  const calls: DevChain['calls'] = (pallet, wanted) =>
    Object.entries(wanted).flatMap(([name, args]) => api.tx[pallet]?.[name]?.(...args) ?? [])

  async function submit(signer: Account, batch: readonly Call[]): Promise<Events> {
    if (batch.length === 0) throw new Error('this runtime has none of the calls')
    const call = batch.length === 1 ? batch[0]! : api.tx.utility!.batchAll!([...batch])
    const signRaw = async ({ data }: { data: string }) => {
      const payload = Buffer.from(data.slice(2), 'hex')
      const signature = signer.sign(payload.length > 256 ? blake2b(payload, { dkLen: 32 }) : payload)
      return { id: 0, signature: `0x01${Buffer.from(signature).toString('hex')}` as const }
    }
    const signed = await call.signAsync(signer.hotkey, { signer: { signRaw }, nonce: -1, era: 0 })
    const { number } = await api.rpc.chain.getHeader()
    await api.rpc.author.submitExtrinsic(signed)
    const hash = signed.hash.toHex()
    for (let block = number.toNumber() + 1; ; ) {
      const { number: head } = await api.rpc.chain.getHeader(await api.rpc.chain.getFinalizedHead())
      if (head.toNumber() < block) await advance()
      else {
        const at = await api.rpc.chain.getBlockHash(block++)
        const { extrinsics } = (await api.rpc.chain.getBlock(at)).block
        const index = extrinsics.findIndex((extrinsic) => extrinsic.hash.toHex() === hash)
        if (index !== -1) return outcome(api, at.toHex(), index)
      }
    }
  }
  const sudo: DevChain['sudo'] = (batch) => submit(ALICE, [api.tx.sudo!.sudo!(api.tx.utility!.batchAll!([...batch]))])
  return { api, isPuppet, advance, store, calls, submit, sudo, close: () => api.disconnect() }
}

/** A new subnet with fresh keys on the development chain at `url`, its validators' permits given. */
export async function prepareSubnet(url: string, options: SubnetOptions): Promise<DevSubnet> {
  const { validators: seats, miners: others, tempo = 10, revealPeriod = 0 } = options
  const { newAccount = () => account(randomBytes(32)), limits } = options
  const chain = await devChain(url)
  const { api, sudo, submit, calls, advance } = chain
  const fresh = (count: number) => Array.from({ length: count }, () => newAccount())
  const [[coldkey, ownerHotkey, stranger], validators, miners] = [fresh(3), fresh(seats), fresh(others)]
  const owner = coldkey!

  await sudo([
    ...calls('balances', { forceSetBalance: [owner.hotkey, 1_000_000n * TAO] }),
    ...calls('adminUtils', {
      sudoSetNetworkRateLimit: [0],
      sudoSetLockReductionInterval: [1], // or each subnet would cost twice the last
      sudoSetStakeThreshold: [0],
      sudoSetAdminFreezeWindow: [0],
      sudoSetStartCallDelay: [0],
    }),
    ...calls('commitments', { setMaxSpace: [3100] }),
  ])
  const added = await submit(owner, calls('subtensorModule', { registerNetwork: [ownerHotkey!.hotkey] }))
  const netuid = Number(added.find(({ method }) => method === 'NetworkAdded')?.data[0])
  await sudo(
    calls('adminUtils', {
      sudoSetMaxRegistrationsPerBlock: [netuid, 256],
      sudoSetTargetRegistrationsPerInterval: [netuid, 256],
      sudoSetTempo: [netuid, tempo],
      sudoSetWeightsSetRateLimit: [netuid, 0],
      sudoSetMaxAllowedValidators: [netuid, seats], // or miners would get permits for what they earn
      sudoSetCommitRevealWeightsEnabled: [netuid, revealPeriod > 0],
      sudoSetCommitRevealWeightsInterval: [netuid, Math.max(1, revealPeriod)],
    }),
  )
  const register = ({ hotkey }: Account) => calls('subtensorModule', { burnedRegister: [netuid, hotkey] })
  await submit(owner, [...validators, ...miners].flatMap(register))
  await start()
  const stake = ({ hotkey }: Account) => calls('subtensorModule', { addStake: [hotkey, netuid, 100n * TAO] })
  await submit(owner, validators.flatMap(stake))
  for (let i = 0; !(await havePermits()); i++) {
    if (i > 5 * tempo + 50) throw new Error(`no permits on subnet ${netuid} after ${i} blocks`)
    await advance()
  }
  if (limits) await restrict(limits)
  return { ...chain, netuid, validators, miners, stranger: stranger! }

  async function restrict({ stakeThreshold, weightsRateLimit, commitmentBytes }: Limits) {
    await sudo([
      ...calls('adminUtils', {
        sudoSetStakeThreshold: [stakeThreshold],
        sudoSetWeightsSetRateLimit: [netuid, weightsRateLimit],
        sudoSetTempo: [netuid, 360], // a tempo's end would give new bytes
      }),
      ...calls('commitments', { setMaxSpace: [commitmentBytes] }),
    ])
    await advance(weightsRateLimit) // registering counts like setting weights
  }

  /** A subnet may have to wait some blocks before it can be started. */
  async function start() {
    for (let i = 0; ; i++) {
      try {
        return await submit(owner, calls('subtensorModule', { startCall: [netuid] }))
      } catch (error) {
        if (!String(error).includes('NeedWaitingMoreBlocks') || i > 100) throw error
        await advance()
      }
    }
  }

  async function havePermits() {
    const { validatorPermit, uids } = api.query.subtensorModule!
    const permits = (await validatorPermit!(netuid)).toJSON() as boolean[]
    const seats = await Promise.all(validators.map(({ hotkey }) => uids!(netuid, hotkey)))
    return seats.every((uid) => permits[Number(uid.toString())])
  }
}

/** Events of one transaction. @throws Error when it failed, or what it did as root failed. */
async function outcome(api: ApiPromise, at: string, index: number): Promise<Events> {
  const records = (await (
    await api.at(at)
  ).query.system!.events!()) as unknown as {
    phase: { isApplyExtrinsic: boolean; asApplyExtrinsic: { toNumber(): number } }
    event: Events[number] & { toHuman(): unknown }
  }[]
  const events = records
    .filter(({ phase }) => phase.isApplyExtrinsic && phase.asApplyExtrinsic.toNumber() === index)
    .map(({ event }) => event)
  for (const { method, data } of events) {
    const [first] = data as [{ isErr?: boolean; isModule?: boolean; asErr?: unknown }]
    const error = (method === 'ExtrinsicFailed' && first) || (method === 'Sudid' && first.isErr && first.asErr)
    if (error) throw new Error(refusal(api, error as Parameters<typeof refusal>[1]))
  }
  return events
}

function refusal(
  { registry }: ApiPromise,
  error: { isModule?: boolean; asModule?: never; toString(): string },
): string {
  return error.isModule ? registry.findMetaError(error.asModule!).name : error.toString()
}

/** Resolves when so many more blocks are finalized. */
async function finalized(api: ApiPromise, count: number): Promise<void> {
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
