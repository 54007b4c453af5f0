import type { DispatchError, EventRecord } from '@polkadot/types/interfaces'
import type { Registry } from '@polkadot/types/types'
import { ADVICE, ChainError } from '../chain-error.ts'
import { toAsciiLine } from './node-message.ts'

/** Names for the numbers of the runtime's `CustomTransactionError`. */
const CUSTOM: Readonly<Record<number, string>> = {
  0: 'ColdkeyInSwapSchedule',
  1: 'StakeAmountTooLow',
  3: 'SubnetNotExists',
  6: 'RateLimitExceeded',
  10: 'HotKeyNotRegisteredInSubNet',
  15: 'InvalidRevealRound',
  19: 'UidNotFound',
  21: 'ColdkeySwapDisputed',
}

/** The codes of other refusals, by the words in Substrate's messages. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/outdated|stale|banned|priority is too low|future/i, 'Stale'],
  [/bad ?signature|bad ?proof/i, 'BadProof'],
  [/ancient ?birth/i, 'AncientBirthBlock'],
  [/fees|payment/i, 'Payment'],
  [/exhaust|pool is full|immediately dropped|limits/i, 'ExhaustsResources'],
]

/**
 * Returns a ChainError with the advice for `code`, or with `detail` if there is none. Both texts
 * may come from a node, and are untrusted.
 */
function createChainError(code: string, detail: string): ChainError {
  if (Object.hasOwn(ADVICE, code)) return new ChainError(code)
  return new ChainError(toAsciiLine(code), toAsciiLine(detail))
}

/** Returns a node's refusal of a call as a ChainError, or null if the node already has the call. */
export function poolRefusal(error: unknown): ChainError | null {
  if (error instanceof ChainError) return error
  const { message } = error as Error
  if (/already imported/i.test(message)) return null
  const code = findPoolCode(message) ?? 'Refused'
  return createChainError(code, `the node refused the call: ${message}`)
}

function findPoolCode(message: string): string | undefined {
  const custom = /custom(?: error)?\D{0,4}(\d+)/i.exec(message)?.[1]
  if (custom !== undefined) return CUSTOM[Number(custom)]
  return WORDS.find(([words]) => words.test(message))?.[1]
}

/**
 * Returns the refusal of the call at `index` of a block, null if the call succeeded, or `BadReply`
 * if the block's events do not contain its result.
 */
export function readDispatchRefusal(
  registry: Registry,
  events: unknown,
  index: number,
): ChainError | null {
  for (const { phase, event } of events as Iterable<EventRecord>) {
    if (!phase.isApplyExtrinsic || phase.asApplyExtrinsic.toNumber() !== index) continue
    if (event.section !== 'system') continue
    if (event.method === 'ExtrinsicSuccess') return null
    if (event.method !== 'ExtrinsicFailed') continue
    const [cause] = event.data as unknown as [DispatchError?]
    if (cause !== undefined) return describeDispatchError(registry, cause)
  }
  return new ChainError('BadReply', 'the events of the block do not contain the result of the call')
}

function describeDispatchError(registry: Registry, cause: DispatchError): ChainError {
  if (cause.isModule) {
    const { name, section, docs } = registry.findMetaError(cause.asModule)
    return createChainError(name, `error of ${section}: ${docs.join(' ').trim() || name}`)
  }
  // The text is only the error's name, or JSON with its kind: {"token":"FundsUnavailable"}.
  const text = cause.toString()
  const name = text.match(/\w+/g)?.at(-1) ?? text
  return createChainError(name, `the chain reports ${text}`)
}
