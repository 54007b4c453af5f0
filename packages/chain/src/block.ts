import { ChainError, type Refusal } from './chain.ts'
import { type Entry, isExtrinsic, isSudo } from './extrinsic.ts'
import type { Params } from './ledger.ts'
import { either, type Guard, hash, integer, list, pair, parseJson, record, text, u16 } from './shape.ts'

/** A block of the local chain. `hash` is over the text of all that stands before it. */
export interface Block {
  readonly number: number
  readonly parent: string
  /** Milliseconds, for people. */
  readonly time: number
  /** 32 random bytes, so that nobody can predict the hash. */
  readonly entropy: string
  /** Every call with the name of its refusal, '' when it took effect. */
  readonly calls: readonly (readonly [entry: Entry, refusal: Refusal | ''])[]
  readonly hash: string
}

/** What a chain starts from; its hash stands for the parent of block 0, so the genesis covers it. */
export interface Setup {
  readonly format: 'affine-chain/1'
  readonly netuid: number
  readonly params: Params
}

export interface Log extends Setup {
  readonly blocks: readonly unknown[]
}

export const isBlock: Guard<Block> = record<Block>({
  number: integer(0),
  parent: hash,
  time: integer(0),
  entropy: hash,
  calls: list(pair(either(isExtrinsic, isSudo), text(/^[A-Za-z]{0,64}$/)), 4096),
  hash,
})

export const isLog: Guard<Log> = record<Log>({
  format: text(/^affine-chain\/1$/),
  netuid: u16,
  params: record<Params>({
    tempo: integer(1),
    maxValidators: integer(0),
    stakeThreshold: integer(0),
    weightsRateLimit: integer(0),
    commitmentBytes: integer(0),
  }),
  blocks: (value): value is readonly unknown[] => Array.isArray(value),
})

export const badLog = (why: string): ChainError => new ChainError('BadLog', `BadLog: ${why}`)

/** Reads the text of a log; its blocks are still to be judged. @throws ChainError `BadLog`. */
export function parseLog(text: string): Log {
  const log = parseJson(text)
  if (!isLog(log)) throw badLog('not the log of a local chain')
  return log
}
