import type { DispatchError, EventRecord } from '@polkadot/types/interfaces'
import type { Registry } from '@polkadot/types/types'
import { ADVICE, ChainError } from '../chain-error.ts'
import { asciiLine } from './node-message.ts'

/**
 * The runtime's names for the numbers with which it refuses a call before the pool takes it
 * (`CustomTransactionError`).
 */
const CUSTOM: Readonly<Record<number, string>> = {
  0: 'ColdkeyInSwapSchedule',
  1: 'StakeAmountTooLow',
  2: 'BalanceTooLow',
  3: 'SubnetNotExists',
  4: 'HotkeyAccountDoesntExist',
  6: 'RateLimitExceeded',
  10: 'HotKeyNotRegisteredInNetwork',
  15: 'InvalidRevealRound',
  18: 'InputLengthsUnequal',
  19: 'UidNotFound',
  21: 'ColdkeySwapDisputed',
  255: 'BadRequest',
}

/** The codes of other refusals, by Substrate's words. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/outdated|stale/i, 'Stale'],
  [/bad ?signature|bad ?proof/i, 'BadProof'],
  [/ancient ?birth/i, 'AncientBirthBlock'],
  [/fees|payment/i, 'Payment'],
  [/exhaust|pool is full|immediately dropped|limits/i, 'ExhaustsResources'],
  [/banned|priority is too low|future/i, 'Stale'],
]

/**
 * The ChainError of this code, with our advice if there is one, else with `said`. Both texts may
 * come from a node, and are untrusted.
 */
function chainErrorOf(code: string, said: string): ChainError {
  if (Object.hasOwn(ADVICE, code)) return new ChainError(code)
  return new ChainError(asciiLine(code), asciiLine(said))
}

/** A node's refusal of a call, as a ChainError; null if the node has the call already. */
export function poolRefusal(error: unknown): ChainError | null {
  if (error instanceof ChainError) return error
  const said = (error as Error).message
  if (/already imported/i.test(said)) return null
  return chainErrorOf(poolCode(said) ?? 'Refused', `the node refused the call: ${said}`)
}

function poolCode(said: string): string | undefined {
  const custom = /custom(?: error)?\D{0,4}(\d+)/i.exec(said)?.[1]
  if (custom !== undefined) return CUSTOM[Number(custom)]
  return WORDS.find(([words]) => words.test(said))?.[1]
}

/**
 * Why the call at `index` of a block failed, by that block's events; null if it did not. It is
 * `BadReply` if they do not say what came of the call.
 */
export function dispatchRefusal(
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
    if (cause !== undefined) return dispatchError(registry, cause)
  }
  return new ChainError('BadReply', 'the events of the block do not say what came of the call')
}

function dispatchError(registry: Registry, cause: DispatchError): ChainError {
  if (cause.isModule) {
    const { name, section, docs } = registry.findMetaError(cause.asModule)
    const said = docs.join(' ').trim() || 'nothing more'
    return chainErrorOf(name, `${section} says: ${said}`)
  }
  // The name alone, or in JSON after its kind: {"token":"FundsUnavailable"}
  const said = cause.toString()
  const name = said.match(/\w+/g)?.at(-1) ?? said
  return chainErrorOf(name, `the chain says ${said}`)
}
