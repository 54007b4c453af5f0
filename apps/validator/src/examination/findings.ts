import type { SlotRecord } from '@affine/chain'
import { describeMissingAccess, formatReplyCounts } from '@affine/miners'
import { type Output, printable } from '@affine/terminal'
import { describeWrongKey, KEY_ADVICE } from '../service/account.ts'
import { getErrorCode } from '../service/narrate.ts'
import { type Masker, maskRecord } from '../service/secrets.ts'

type DiskFacts = Readonly<{ folder: string } & Record<'freeBytes' | 'dayBytes' | 'days', number>>
/** Offset of this clock from the clock of Chutes, positive if ahead, and the request's duration. */
type ClockOffset = Readonly<Record<'aheadMs' | 'ms', number>>
type Access = Parameters<typeof describeMissingAccess>[0] & { readonly netuid: number }

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(Math.floor(Math.log10(Math.max(1, bytes)) / 3), units.length - 1)
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${units[step]}`
}

function formatDisk({ folder, freeBytes, dayBytes, days }: DiskFacts): string {
  const need = `takes at most ${formatBytes(dayBytes)} a day`
  return `${folder} has ${formatBytes(freeBytes)} free and ${need}: enough for ${days} days`
}

function formatOffset({ aheadMs, ms }: ClockOffset): string {
  const seconds = (amount: number): string => (amount / 1000).toFixed(1)
  const side = aheadMs < 0 ? 'behind' : 'ahead of'
  return `${seconds(Math.abs(aheadMs))} s ${side} Chutes, ± ${seconds(500 + ms / 2)} s`
}

/** Returns the content of a commitment slot as text. It is untrusted: print it with `printable`. */
export function formatSlot({ block, kind, says }: Partial<SlotRecord>): string {
  return block === undefined ? 'none' : `block ${block}, ${kind}: ${JSON.stringify(says)}`
}

const formatAccess = (access: Access) => `Chutes ${describeMissingAccess(access, access.netuid)}`

type EnvCounts = Parameters<typeof formatReplyCounts>[0] & { readonly env: string }

const formatCounts = (counts: EnvCounts): string => `${counts.env}: ${formatReplyCounts(counts)}`

const UNCHECKED = 'disk, bucket and Chutes are not checked: {problems}'
const BUSY = 'validators play more than eight concurrent challenges: refuse the excess with 429'
const COMMIT = '`af validate` or `af commit` writes it'
const LARGER = 'use a larger disk, or a bucket in S3'
const PUBLIC = 'is this the public URL of the bucket, and can everyone read it?'
const WEIGHTS = 'set, or the hotkey registered, {blocks} blocks ago'

type FindingRow = readonly [
  check: string,
  result: 'ok' | 'warn' | 'fail',
  /** A text with names of fields in braces, or a function that returns the text for the fields. */
  text: string | ((fields: never) => string),
  advice?: string,
]

export const FINDINGS = {
  CHAIN: ['chain', 'ok', 'subnet {netuid}, block {block}, in {seconds} s; genesis {genesis}'],
  CHAIN_FAILS: ['chain', 'fail', '{message}'],
  CLOCK: ['clock', 'ok', 'the newest block is {seconds} s old'],
  CLOCK_WRONG: ['clock', 'fail', 'the newest block is {seconds} s old', 'check clock and node'],
  RUNTIME: ['runtime', 'ok', 'has all that af calls'],
  RUNTIME_LACKS: ['runtime', 'fail', '{fault}', 'update af, and run it with --dry-run first'],
  SETTINGS_MISSING: ['settings', 'warn', UNCHECKED],
  SETTINGS_INCOMPLETE: ['settings', 'fail', UNCHECKED],
  WRONG_KEY: ['key', 'fail', describeWrongKey, KEY_ADVICE],
  REGISTERED: ['registered', 'ok', '{hotkey} is uid {uid}'],
  NOT_REGISTERED: ['registered', 'fail', 'register {hotkey} on subnet {netuid}'],
  PERMIT: ['permit', 'ok', 'granted'],
  NO_PERMIT: ['permit', 'fail', 'none', 'add stake to validate, or `af commit` to mine'],
  STAKE: ['stake', 'ok', '{tao} TAO'],
  NO_STAKE: ['stake', 'warn', '{tao} TAO', 'a validator without stake has no vote'],
  SLOT: ['commitment', 'ok', formatSlot],
  SLOT_FREE: ['commitment', 'warn', formatSlot, COMMIT],
  SLOT_UNREADABLE: ['commitment', 'fail', formatSlot, COMMIT],
  SLOT_HELD: ['commitment', 'fail', formatSlot, '`af validate --overwrite` replaces it'],
  WEIGHTS_SET: ['last weights', 'ok', WEIGHTS],
  WEIGHTS_OLD: ['last weights', 'warn', WEIGHTS, 'is `af validate` running?'],
  DISK: ['disk', 'ok', formatDisk],
  DISK_SMALL: ['disk', 'warn', formatDisk, LARGER],
  DISK_FULL: ['disk', 'fail', formatDisk, LARGER],
  DISK_FAILS: ['disk', 'fail', '{message}'],
  NO_KEY: ['chutes', 'fail', 'CHUTES_API_KEY: not given'],
  ACCOUNT: ['chutes', 'ok', 'the account has {dollars} $'],
  ACCOUNT_EMPTY: ['chutes', 'fail', "the account's balance is {balance}", 'top it up'],
  ACCOUNT_REFUSED: ['chutes', 'fail', 'the key is refused with {status}', 'fix CHUTES_API_KEY'],
  ACCOUNT_UNKNOWN: ['chutes', 'fail', 'cannot read the account at api.chutes.ai: {message}'],
  ACCESS: ['access', 'ok', 'the account may call the chutes of subnet {netuid}'],
  ACCESS_TO_MORE: ['access', 'warn', 'subnet_admin may delete chutes', 'subnet_invoke is enough'],
  NO_ACCESS: ['access', 'fail', formatAccess],
  OFFSET: ['clock offset', 'ok', formatOffset],
  OFFSET_LARGE: ['clock offset', 'fail', formatOffset, 'set the clock: `timedatectl set-ntp true`'],
  OFFSET_UNKNOWN: ['clock offset', 'warn', 'Chutes does not send its time'],
  WRITTEN: ['bucket write', 'ok', 'wrote {path}'],
  NOT_WRITTEN: ['bucket write', 'fail', '{message}'],
  KEPT: ['bucket keeps', 'ok', 'it refuses to overwrite {path}'],
  NOT_KEPT: ['bucket keeps', 'fail', 'it overwrote {path}', 'use a service with If-None-Match'],
  KEEPING_FAILS: ['bucket keeps', 'fail', '{message}'],
  PROBE: ['bucket read', 'ok', '{path} at {url}, in {ms} ms'],
  PROBE_LOCAL: ['bucket read', 'warn', 'readable only on this machine', 'set --bucket-url'],
  PROBE_FAILS: ['bucket read', 'fail', '{message}', PUBLIC],
  PROBE_MISSING: ['bucket read', 'fail', 'no {path} at {url}', PUBLIC],
  PROBE_OTHER: ['bucket read', 'fail', '{path} at {url} has other content', PUBLIC],
  PROBE_URL: ['bucket read', 'fail', 'validators cannot open {url}', 'use an https URL'],
  ANSWER: ['answer', 'ok', '{chute} gives a usable reply, in {ms} ms'],
  NO_ANSWER: ['answer', 'fail', '{chute} gives no usable reply: {text}'],
  NOT_ASKED: ['answer', 'warn', 'the chute was not called: {message}'],
  FILES_PRIVATE: ['files', 'fail', "make {chute}'s model public before its duel: {text}"],
  REPLIES: ['replies', 'ok', formatCounts],
  NO_LEGAL_REPLY: ['replies', 'fail', formatCounts],
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

export interface Finding {
  readonly code: Code
  readonly check: string
  readonly result: FindingRow[1]
  readonly fields: object
}

export function note<C extends Code>(code: C, fields: FieldsOf<(typeof FINDINGS)[C][2]>): Finding {
  const [check, result] = FINDINGS[code]
  return { code, check, result, fields }
}

export function describe(error: Error): Readonly<Record<'error' | 'message', string>> {
  return { error: getErrorCode(error), message: error.message }
}

/** Returns a finding and its advice as text that is safe to print. */
function formatFinding({ code, fields }: Finding, mask: Masker): string {
  const [, , sentence, advice]: FindingRow = FINDINGS[code]
  const fieldNamed = (_: string, name: string): string => String(Reflect.get(fields, name))
  const text =
    typeof sentence === 'string'
      ? sentence.replace(/\{(\w+)\}/g, fieldNamed)
      : sentence(fields as never)
  return printable(mask(advice === undefined ? text : `${text}: ${advice}`), 1000)
}

const MARKS = { ok: 'ok', warn: '! ', fail: '✘ ' }
const TONES = { ok: 'good', warn: 'warning', fail: 'bad' } as const

export function printFinding(finding: Finding, screen: Output, mask: Masker = String): void {
  const { code, check, result, fields } = finding
  const text = formatFinding(finding, mask)
  // A URL in the fields may contain a key.
  const record = { ...maskRecord(fields, mask), type: 'check', check, result, code, text }
  const line = { text: `${MARKS[result]} ${check.padEnd(12)} ${text}`, tone: TONES[result] }
  screen.line([line], record)
}
