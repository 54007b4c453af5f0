import type { Refusal } from './chain.ts'
import { type Entry, hashOf, isExtrinsic, isSudo } from './extrinsic.ts'
import type { Params } from './ledger.ts'
import { amount, either, type Guard, hash, integer, list, literal, pair, record, text, u16 } from './shape.ts'

/** A block of the local chain: `hash` is over the text of all that stands before it. */
export interface Block {
  readonly number: number
  readonly parent: string
  /** Milliseconds, for people. */
  readonly time: number
  /** 32 random bytes, so that nobody can predict the hash. */
  readonly entropy: string
  /** Every call with the name of its refusal, or '' when it took effect. */
  readonly calls: readonly (readonly [call: Entry, refusal: Refusal | ''])[]
  readonly hash: string
}

/** What an export holds. `stakeThreshold` is decimal. */
export interface Log {
  readonly format: 'affine-chain/1'
  readonly netuid: number
  readonly params: Omit<Params, 'stakeThreshold'> & { readonly stakeThreshold: string }
  readonly blocks: readonly Block[]
}

const isRefusal = text(/^[A-Za-z]{0,64}$/) as Guard<Refusal | ''>

export const isBlock: Guard<Block> = record<Block>({
  number: integer(0),
  parent: hash,
  time: integer(0),
  entropy: hash,
  calls: list(pair(either(isExtrinsic, isSudo), isRefusal), Number.POSITIVE_INFINITY),
  hash,
})

/** The blocks' own shape is judged one by one, so that a fault can be named. */
export const isLog: Guard<Omit<Log, 'blocks'> & { readonly blocks: readonly unknown[] }> = record({
  format: literal('affine-chain/1'),
  netuid: u16,
  params: record<Log['params']>({
    tempo: integer(1),
    maxValidators: integer(0),
    stakeThreshold: amount,
    weightsRateLimit: integer(0),
    commitmentBytes: integer(0),
  }),
  blocks: (value): value is readonly unknown[] => Array.isArray(value),
})

export function sealBlock({ number, parent, time, entropy, calls }: Omit<Block, 'hash'>): Block {
  const block = { number, parent, time, entropy, calls }
  return { ...block, hash: hashOf(block) }
}

/** Why a block that was made again isn't the one in a log; null when it is. */
export function difference(made: Block, logged: Block): string | null {
  if (made.number !== logged.number) return `has number ${logged.number}`
  if (made.parent !== logged.parent) return 'does not follow the block before it'
  const call = made.calls.findIndex(([, refusal], i) => refusal !== logged.calls[i]?.[1])
  if (call !== -1) return `call ${call} gives "${made.calls[call]?.[1]}", the log says "${logged.calls[call]?.[1]}"`
  return made.hash === logged.hash ? null : 'its hash is not that of its content'
}

/** Stands for the parent of block 0, so that its hash, the genesis, covers the parameters too. */
export const originOf = ({ format, netuid, params }: Omit<Log, 'blocks'>): string => hashOf({ format, netuid, params })
