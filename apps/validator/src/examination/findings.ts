import type { SlotRecord } from '@affine/chain'
import { noAccessText, type ReplyCounts, replyCountsText, unansweredText } from '@affine/miners'
import { type Output, printable } from '@affine/terminal'
import { KEY_ADVICE, wrongKeyText } from '../service/account.ts'
import { bytesText } from '../service/load.ts'
import { codeOf } from '../service/narrate.ts'
import type { Hide } from '../service/secrets.ts'
import { problemText, type SettingProblem } from '../settings/settings.ts'

interface Disk extends Readonly<Record<'freeBytes' | 'dayBytes' | 'days', number>> {
  readonly folder: string
}
/** How far the clock is ahead of Chutes', whose answer took `ms`. */
type Offset = Readonly<Record<'aheadMs' | 'ms', number>>
type Access = Parameters<typeof noAccessText>[0] & { readonly netuid: number }
type Silent = Parameters<typeof unansweredText>[0] & Readonly<Record<'chute' | 'reason', string>>

function diskText({ folder, freeBytes, dayBytes, days }: Disk): string {
  const need = `takes at most ${bytesText(dayBytes)} a day`
  return `${folder} has ${bytesText(freeBytes)} free and ${need}: ${days} days`
}

function offsetText({ aheadMs, ms }: Offset): string {
  const seconds = (amount: number): string => (amount / 1000).toFixed(1)
  const side = aheadMs < 0 ? 'behind' : 'ahead of'
  const found = `${seconds(Math.abs(aheadMs))} s ${side} Chutes, give or take`
  return `${found} ${seconds(500 + ms / 2)} s`
}

/** Returns what a slot holds, as a text. It is untrusted: print it with `printable`. */
export function slotText({ block, kind, says }: Partial<SlotRecord>): string {
  return block === undefined ? 'none yet' : `block ${block}, ${kind}: ${JSON.stringify(says)}`
}

const accessText = (access: Access): string => `Chutes ${noAccessText(access, access.netuid)}`

const silentText = (silent: Silent): string =>
  `${silent.chute} gives no usable reply: ${unansweredText(silent)}`

const countsText = (counts: ReplyCounts & { readonly env: string }): string =>
  `${counts.env}: ${replyCountsText(counts).join('; ')}`

const unreadText = ({ problems }: { readonly problems: readonly SettingProblem[] }): string =>
  `disk, bucket and Chutes are not looked at: ${problems.map(problemText).join('; ')}`

const BUSY = 'validators play more than eight challenges at once: refuse the excess with 429'
const COMMIT = '`af validate` or `af commit` makes it'
const LARGER = 'take a larger one, or a bucket in S3'
const PUBLIC = 'is that the public address of this bucket, open to everyone?'
const WEIGHTS = 'set, or the hotkey registered, {blocks} blocks ago'
const SERVED = 'name its place with --buckets; is it served?'

type FindingRow = readonly [
  check: string,
  result: 'ok' | 'warn' | 'fail',
  /** Names fields in braces, or makes a text of them. */
  found: string | ((fields: never) => string),
  advice?: string,
]

/** All that checks find, by its code. */
export const FINDINGS = {
  CHAIN: ['chain', 'ok', 'subnet {netuid}, block {block}, in {seconds} s; genesis {genesis}'],
  CHAIN_FAILS: ['chain', 'fail', '{message}'],
  CLOCK: ['clock', 'ok', 'the newest block is {seconds} s old'],
  CLOCK_WRONG: ['clock', 'fail', 'the newest block is {seconds} s old', 'check clock and node'],
  RUNTIME: ['runtime', 'ok', 'has all that is asked of it'],
  RUNTIME_LACKS: ['runtime', 'fail', '{fault}', 'update af, and test it before it sends'],
  WEIGHTS_OPEN: ['weights', 'ok', 'set in the open'],
  WEIGHTS_HIDDEN: ['weights', 'ok', 'timelocked, and opened by the chain {tempos} tempos later'],
  SETTINGS_MISSING: ['settings', 'warn', unreadText],
  SETTINGS_INCOMPLETE: ['settings', 'fail', unreadText],
  WRONG_KEY: ['key', 'fail', wrongKeyText, KEY_ADVICE],
  REGISTERED: ['registered', 'ok', '{hotkey} is uid {uid}'],
  NOT_REGISTERED: ['registered', 'fail', '{hotkey} is not: register it on subnet {netuid}'],
  PERMIT: ['permit', 'ok', 'held'],
  NO_PERMIT: ['permit', 'fail', 'none', 'add stake to validate, or `af commit` to mine'],
  STAKE: ['stake', 'ok', '{tao} TAO'],
  NO_STAKE: ['stake', 'warn', '{tao} TAO', 'a validator without has no vote'],
  SLOT: ['commitment', 'ok', slotText],
  SLOT_FREE: ['commitment', 'warn', slotText, COMMIT],
  SLOT_UNREADABLE: ['commitment', 'fail', slotText, COMMIT],
  SLOT_HELD: ['commitment', 'fail', slotText, '`af validate --overwrite` replaces it'],
  WEIGHTS_SET: ['last weights', 'ok', WEIGHTS],
  WEIGHTS_OLD: ['last weights', 'warn', WEIGHTS, 'is `af validate` running?'],
  DISK: ['disk', 'ok', diskText],
  DISK_SMALL: ['disk', 'warn', diskText, LARGER],
  DISK_FULL: ['disk', 'fail', diskText, LARGER],
  DISK_FAILS: ['disk', 'fail', '{message}'],
  NO_KEY: ['chutes', 'fail', 'CHUTES_API_KEY: not given'],
  ACCOUNT: ['chutes', 'ok', 'the account has {dollars} $'],
  ACCOUNT_EMPTY: ['chutes', 'fail', "the account's balance is {balance}", 'top it up'],
  ACCOUNT_REFUSED: ['chutes', 'fail', 'the key is refused with {status}', 'fix CHUTES_API_KEY'],
  ACCOUNT_UNKNOWN: ['chutes', 'fail', 'cannot read the account at api.chutes.ai: {message}'],
  ACCESS: ['access', 'ok', 'the account may call the chutes of subnet {netuid}'],
  ACCESS_TO_MORE: ['access', 'warn', 'subnet_admin may delete chutes', 'subnet_invoke is enough'],
  NO_ACCESS: ['access', 'fail', accessText],
  OFFSET: ['clock offset', 'ok', offsetText],
  OFFSET_LARGE: ['clock offset', 'fail', offsetText, 'set the clock: `timedatectl set-ntp true`'],
  OFFSET_UNKNOWN: ['clock offset', 'warn', 'Chutes does not say its time'],
  BUCKET: ['bucket', 'ok', '{url} has {path}'],
  BUCKET_LACKS: ['bucket', 'warn', '{url} lacks {path}', SERVED],
  BUCKET_FAILS: ['bucket', 'fail', '{message}', SERVED],
  BUCKET_NOT_NAMED: ['bucket', 'warn', '{url} was not asked for {path}', SERVED],
  BUCKET_NOT_OPENED: ['bucket', 'fail', '{url} was not asked for {path}', SERVED],
  BUCKET_NOT_ANNOUNCED: ['bucket', 'warn', 'not announced yet'],
  WRITTEN: ['bucket write', 'ok', 'it has {path}'],
  NOT_WRITTEN: ['bucket write', 'fail', '{message}'],
  KEPT: ['bucket keeps', 'ok', 'other bytes for {path} are refused'],
  NOT_KEPT: ['bucket keeps', 'fail', 'it overwrote {path}', 'use a service with If-None-Match'],
  KEEPING_FAILS: ['bucket keeps', 'fail', '{message}'],
  PROBE: ['bucket read', 'ok', '{path} at {url}, in {ms} ms'],
  PROBE_LOCAL: ['bucket read', 'warn', 'on this machine alone', 'say where with --bucket-url'],
  PROBE_FAILS: ['bucket read', 'fail', '{message}', PUBLIC],
  PROBE_MISSING: ['bucket read', 'fail', 'no {path} at {url}', PUBLIC],
  PROBE_OTHER: ['bucket read', 'fail', 'something else is {path} at {url}', PUBLIC],
  PROBE_URL: ['bucket read', 'fail', 'nobody opens {url}', 'name an https URL'],
  ANSWER: ['answer', 'ok', '{chute} gives a usable reply, in {ms} ms'],
  NO_ANSWER: ['answer', 'fail', silentText],
  NOT_ASKED: ['answer', 'warn', 'the chute is not asked: {message}'],
  FILES_PRIVATE: ['files', 'fail', "make the model's files public before its duel: {text}"],
  REPLIES: ['replies', 'ok', countsText],
  NO_LEGAL_REPLY: ['replies', 'fail', countsText],
  REPLIES_FAIL: ['replies', 'warn', '{count} × no usable reply: {text}'],
  REPLIES_LATE: ['replies', 'warn', '{count} × no usable reply: {text}', BUSY],
} as const satisfies Readonly<Record<string, FindingRow>>

type Code = keyof typeof FINDINGS
/** The names in braces of a text. */
type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never
type FieldsOf<Found> = Found extends (fields: infer Fields extends object) => string
  ? Fields
  : Readonly<Record<NamesIn<Found>, unknown>>

/** The result of a check. */
export interface Finding {
  readonly code: Code
  readonly check: string
  readonly result: FindingRow[1]
  readonly fields: object
}

/** Returns what a check found. */
export function found<C extends Code>(code: C, fields: FieldsOf<(typeof FINDINGS)[C][2]>): Finding {
  const [check, result] = FINDINGS[code]
  return { code, check, result, fields }
}

/** Returns what is reported of an error. */
export function failed(error: Error): Readonly<Record<'error' | 'message', string>> {
  return { error: codeOf(error), message: error.message }
}

/** Returns what a check found and what to do, as text that is safe to print. */
export function findingText({ code, fields }: Finding, hide: Hide = String): string {
  const [, , sentence, advice]: FindingRow = FINDINGS[code]
  const fieldNamed = (_: string, name: string): string => String(Reflect.get(fields, name))
  const said =
    typeof sentence === 'string'
      ? sentence.replace(/\{(\w+)\}/g, fieldNamed)
      : sentence(fields as never)
  return printable(hide(advice === undefined ? said : `${said}: ${advice}`), 1000)
}

const MARKS = { ok: 'ok', warn: '! ', fail: '✘ ' }
const TONES = { ok: 'good', warn: 'warning', fail: 'bad' } as const

/** Prints what a check found. */
export function sayFinding(finding: Finding, screen: Output, hide: Hide = String): void {
  const { code, check, result, fields } = finding
  const text = findingText(finding, hide)
  // A URL in the fields may hold a key.
  const hidden = (_: string, value: unknown) => (typeof value === 'string' ? hide(value) : value)
  const facts: object = JSON.parse(JSON.stringify(fields), hidden)
  const record = { ...facts, type: 'check', check, result, code, text }
  const line = { text: `${MARKS[result]} ${check.padEnd(12)} ${text}`, tone: TONES[result] }
  screen.line([line], record)
}
