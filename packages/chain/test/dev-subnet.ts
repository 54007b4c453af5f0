import { randomBytes } from 'node:crypto'
import { type Account, account } from '../src/index.ts'
import type { Limits } from './chain-suite.ts'
import { type DevChain, devChain } from './dev-chain.ts'

export interface SubnetOptions {
  readonly validators: number
  readonly miners: number
  /** Blocks between two assignments of permits. Default: 10. */
  readonly tempo?: number
  /** Tempos between a commit of weights and its reveal. Default: 0, for public weights. */
  readonly revealPeriod?: number
  /**
   * Limits that are set once the validators have permits. The stake threshold and the bytes apply to
   * the whole chain. Default: no limits.
   */
  readonly limits?: Limits | undefined
  /** Makes a key. Default: a random key. */
  readonly newAccount?: () => Account
  /** Makes a miner's key. Default: `newAccount`. */
  readonly newMiner?: () => Account
}

export interface DevSubnet extends DevChain {
  readonly netuid: number
  /**
   * Accounts with stake and permits, and without a balance. One coldkey owns them and the subnet.
   */
  readonly validators: readonly Account[]
  /** Registered accounts without stake. */
  readonly miners: readonly Account[]
  /** An unregistered account. */
  readonly stranger: Account
  /** The owner's hotkey, which is registered. */
  readonly owner: Account
  /** Makes each further registration evict a neuron, and stops emission. */
  fill(): Promise<void>
  register(neuron: Account): Promise<void>
}

const TAO = 1_000_000_000n

/** Creates a subnet with new keys on the development chain at `url`, with validators' permits. */
export async function prepareSubnet(url: string, options: SubnetOptions): Promise<DevSubnet> {
  const { validators: seats, miners: others, tempo = 10, revealPeriod = 0 } = options
  const { newAccount = () => account(randomBytes(32)), newMiner = newAccount, limits } = options
  const chain = await devChain(url)
  const { api, sudo, submit, calls, advance } = chain
  const fresh = (count: number) => Array.from({ length: count }, () => newAccount())
  const [[coldkey, ownerHotkey, stranger], validators] = [fresh(3), fresh(seats)]
  const miners = Array.from({ length: others }, () => newMiner())
  const owner = coldkey!

  await sudo([
    ...calls('balances', { forceSetBalance: [owner.hotkey, 1_000_000n * TAO] }),
    ...calls('adminUtils', {
      sudoSetNetworkRateLimit: [0],
      sudoSetLockReductionInterval: [1], // otherwise each subnet costs twice the previous one
      sudoSetStakeThreshold: [0],
      sudoSetAdminFreezeWindow: [0],
      sudoSetStartCallDelay: [0],
    }),
    ...calls('commitments', { setMaxSpace: [3100] }),
  ])
  const added = await submit(
    owner,
    calls('subtensorModule', { registerNetwork: [ownerHotkey!.hotkey] }),
  )
  const netuid = Number(added.find(({ method }) => method === 'NetworkAdded')?.data[0])
  await sudo(
    calls('adminUtils', {
      sudoSetMaxRegistrationsPerBlock: [netuid, 256],
      sudoSetTargetRegistrationsPerInterval: [netuid, 256],
      sudoSetTempo: [netuid, tempo],
      sudoSetWeightsSetRateLimit: [netuid, 0],
      sudoSetMaxAllowedValidators: [netuid, seats], // otherwise miners get permits for their earnings
      sudoSetCommitRevealWeightsEnabled: [netuid, revealPeriod > 0],
      sudoSetCommitRevealWeightsInterval: [netuid, Math.max(1, revealPeriod)],
    }),
  )
  const registerCalls = ({ hotkey }: Account) =>
    calls('subtensorModule', { burnedRegister: [netuid, hotkey] })
  await submit(owner, [...validators, ...miners].flatMap(registerCalls))
  await start()
  const stake = ({ hotkey }: Account) =>
    calls('subtensorModule', { addStake: [hotkey, netuid, 100n * TAO] })
  await submit(owner, validators.flatMap(stake))
  for (let i = 0; !(await havePermits()); i++) {
    if (i > 5 * tempo + 50) throw new Error(`no permits on subnet ${netuid} after ${i} blocks`)
    await advance()
  }
  if (limits) await restrict(limits)
  const fill = async () => {
    const size = 1 + seats + others + 1 // the chain requires a free uid
    await sudo(
      calls('adminUtils', {
        sudoSetImmunityPeriod: [netuid, 0],
        sudoSetMinAllowedUids: [netuid, size],
        sudoSetMaxAllowedUids: [netuid, size],
        sudoSetTempo: [netuid, 360],
      }),
    )
    await register(newAccount())
  }
  const register = async (neuron: Account) => {
    await submit(owner, registerCalls(neuron))
  }
  const made = { validators, miners, stranger: stranger!, owner: ownerHotkey! }
  return { ...chain, netuid, ...made, fill, register }

  async function restrict({ stakeThreshold, weightsRateLimit, commitmentBytes }: Limits) {
    await sudo([
      ...calls('adminUtils', {
        sudoSetStakeThreshold: [stakeThreshold],
        sudoSetWeightsSetRateLimit: [netuid, weightsRateLimit],
        sudoSetTempo: [netuid, 360], // the end of a tempo resets the bytes
      }),
      ...calls('commitments', { setMaxSpace: [commitmentBytes] }),
    ])
    await advance(weightsRateLimit) // a registration counts for the limit like setting weights
  }

  /** Starts the subnet, which may have to wait some blocks. */
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
