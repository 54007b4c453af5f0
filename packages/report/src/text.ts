import { normalise } from '@affine/envs/text'
import type { Bounds } from './env-facts.ts'

/**
 * Returns untrusted text on one line, without characters that control a terminal, cut to `most`
 * characters.
 */
export function printable(text: string, most = 200): string {
  const line = normalise(text).replaceAll('\n', '⏎')
  return line.length > most ? `${line.slice(0, most - 1).replace(HALF_PAIR, '')}…` : line
}

/** First half of a surrogate pair that was cut in two. */
const HALF_PAIR = /[\ud800-\udbff]$/

/** Formats a share in ppm, as in "66.3 %". Rounds down, so that less than all is never 100 %. */
export const percent = (ppm: number): string => `${Math.floor(ppm / 1000) / 10} %`

/** Formats a count, as in "1 epoch" and "2 epochs". */
export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

/** Formats rao with at most six significant digits, as in "1,250.5 TAO". */
export const formatStake = (rao: bigint | string): string =>
  `${(Number(rao) / 1e9).toLocaleString('en-GB', { maximumSignificantDigits: 6 })} TAO`

/** Formats the epochs until a turn, as in "about 2 to 7 epochs". */
export const formatWait = ({ least, most }: Record<'least' | 'most', number>): string =>
  `about ${least === most ? '' : `${least} to `}${formatCount(most, 'epoch')}`

/** Formats an interval, as in "50.1 % to 66.3 %". */
export const percentRange = ({ lower, upper }: Bounds): string =>
  `${percent(lower)} to ${percent(upper)}`

/** Tolerated rounding error of a weighted sum, in millionths of a challenge. */
const WEIGHTS_ROUNDED = 10_000

/** Converts millionths of a challenge to whole challenges, rounded down. */
export const challengesIn = (millionths: number): number =>
  Math.floor((millionths + WEIGHTS_ROUNDED) / 1_000_000)

const CELLS = 30
const ALL = 1_000_000

/** Draws the interval of a rate and the ratio to beat. */
export function drawInterval(bounds: Bounds | undefined, ratioPpm: number): string {
  if (bounds === undefined) return '[      nothing decisive        ]'
  const { lower, upper } = bounds
  const cellOf = (ppm: number): number => Math.min(CELLS - 1, Math.floor((ppm / ALL) * CELLS))
  const cells = Array.from({ length: CELLS }, () => ' ')
  cells.fill('━', cellOf(lower), cellOf(upper) + 1)
  cells[cellOf(ratioPpm)] = '┃'
  return `[${cells.join('')}] ${percentRange(bounds)}`
}

export type Tone = 'good' | 'bad' | 'warning'

export type Line = string | { readonly text: string; readonly tone: Tone }

/** Returns the text of lines, without tones. */
export const stripTones = (lines: string | readonly Line[]): string =>
  [lines]
    .flat()
    .map((line) => (typeof line === 'string' ? line : line.text))
    .join('\n')

/** Joins texts, as in "a, b and c". */
export const listed = (texts: readonly string[]): string =>
  [...texts.slice(0, -2), texts.slice(-2).join(' and ')].join(', ')

export type HotkeyFormatter = (hotkey: string) => string

/** Returns a function that names hotkeys by `names`, or by `otherwise`. */
export const nameHotkeysBy =
  (
    names: Readonly<Record<string, string>>,
    otherwise: HotkeyFormatter = shortenHotkey,
  ): HotkeyFormatter =>
  (hotkey) =>
    Object.hasOwn(names, hotkey) ? printable(names[hotkey] ?? '', 40) : otherwise(hotkey)

/** Returns the first six and last four characters of a hotkey; a short text unchanged. */
export const shortenHotkey: HotkeyFormatter = (hotkey) =>
  printable(hotkey.length > 13 ? `${hotkey.slice(0, 6)}…${hotkey.slice(-4)}` : hotkey)

/**
 * Returns a record as JSON in ASCII, because JSON may contain characters that control a terminal. A
 * BigInt becomes a decimal string.
 */
export function toJson(record: object): string {
  const plain = (_: string, value: unknown): unknown =>
    typeof value === 'bigint' ? String(value) : value
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(record, plain).replace(/[^ -~]/g, escaped)
}
