import {
  type Account,
  account,
  type ChainError,
  ed25519Account,
  LocalChain,
  type LocalOptions,
} from '../src/index.ts'
import type { Harness } from './chain-suite.ts'

export const bytes = (value: number): Uint8Array => new Uint8Array(32).fill(value)
export const alice: Account = account(bytes(1))
export const bob: Account = account(bytes(2))
export const charlie: Account = account(bytes(3))
export const miner: Account = ed25519Account(bytes(4))
export const stranger: Account = account(bytes(5))

/** Returns a `random` whose results count up, for the same hashes in every run. */
const counter = (): (() => Uint8Array) => {
  let value = 0
  return () => bytes(value++ & 255)
}

export const noLimits = {
  tempo: 1000,
  stakeThreshold: 0,
  weightsRateLimit: 0,
  commitmentBytes: 1_000_000,
} as const

export const subnet = (options: Partial<LocalOptions> = {}): LocalChain =>
  LocalChain.create({
    netuid: 120,
    random: counter(),
    neurons: [alice, bob, charlie, miner].map(({ hotkey }, i) => ({
      hotkey,
      stake: 3000n - 1000n * BigInt(i),
    })),
    params: noLimits,
    ...options,
  })

export const harness = (local: LocalChain): Harness => {
  let time = 0
  return {
    chain: local,
    validators: [alice, bob, charlie],
    miner,
    stranger,
    advance: async () => {
      await local.produce(++time)
      await new Promise((resolve) => setTimeout(resolve, 10))
    },
  }
}

/** Makes blocks from the waiting calls. */
export async function pass(chain: LocalChain, blocks: number): Promise<void> {
  for (let i = 0; i < blocks; i++) await chain.produce(0)
}

/** Resolves with the code with which a call is refused, or '' if it is in a block. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => '',
    ({ code }: ChainError) => code,
  )
