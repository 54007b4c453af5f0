import type { DispatchError, EventRecord } from '@polkadot/types/interfaces'
import type { Registry } from '@polkadot/types/types'
import { ADVICE, ChainError } from './chain.ts'

/**
 * The runtime's names for the numbers with which its checks before the pool refuse
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
  16: 'CommitNotFound',
  17: 'CommitBlockNotInRevealRange',
  18: 'InputLengthsUnequal',
  19: 'UidNotFound',
  21: 'ColdkeySwapDisputed',
  255: 'BadRequest',
}

/** Substrate's words for the others. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/outdated|stale/i, 'Stale'],
  [/bad ?signature|bad ?proof/i, 'BadProof'],
  [/ancient ?birth/i, 'AncientBirthBlock'],
  [/fees|payment/i, 'Payment'],
  [/exhaust|pool is full|immediately dropped|limits/i, 'ExhaustsResources'],
  [/banned|priority is too low|future/i, 'Stale'],
]

const named = (code: string, said: string): ChainError =>
  new ChainError(code, Object.hasOwn(ADVICE, code) ? undefined : said)

/** What a node means by refusing a call; null when it has the call already. */
export function poolRefusal(error: unknown): ChainError | null {
  if (error instanceof ChainError) return error
  const said = (error as Error).message
  if (/already imported/i.test(said)) return null
  const custom = /custom(?: error)?\D{0,4}(\d+)/i.exec(said)?.[1]
  const code =
    custom === undefined ? WORDS.find(([words]) => words.test(said))?.[1] : CUSTOM[Number(custom)]
  return named(code ?? 'Refused', `the node refused the call: ${said}`)
}

/** Why the call at `index` of a block failed, by that block's events; null when it did not. */
export function dispatchRefusal(
  registry: Registry,
  events: unknown,
  index: number,
): ChainError | null {
  for (const { phase, event } of events as Iterable<EventRecord>) {
    if (!phase.isApplyExtrinsic || phase.asApplyExtrinsic.toNumber() !== index) continue
    const [cause] = event.data as unknown as [DispatchError?]
    if (event.section !== 'system' || event.method !== 'ExtrinsicFailed' || cause === undefined)
      continue
    const said = cause.toString() // its name, as JSON where it has a kind: {"token":"FundsUnavailable"}
    if (!cause.isModule)
      return named(/\w+(?=\W*$)/.exec(said)?.[0] ?? said, `the chain says ${said}`)
    const { name, section, docs } = registry.findMetaError(cause.asModule)
    return named(name, `${section} says: ${docs.join(' ').trim() || 'no more than that'}`)
  }
  return null
}
