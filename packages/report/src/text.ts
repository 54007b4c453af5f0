import { normalise } from '@affine/envs/text'
import type { Bounds } from './env-facts.ts'

/** Text from outside, on one line and without anything a terminal would act on. */
export function printable(text: string, most = 200): string {
  const line = normalise(text).replaceAll('\n', '⏎')
  return line.length > most ? `${line.slice(0, most - 1).replace(HALF_PAIR, '')}…` : line
}

/** The first half of a character beyond U+FFFF that was cut in two. */
const HALF_PAIR = /[\ud800-\udbff]$/

/**
 * A share in ppm as a percentage with one decimal at the most, as in "66.3 %". Always rounded down,
 * so that no two numbers on a screen are in another order than they are, and less than all is never
 * 100 %.
 */
export const percent = (ppm: number): string => `${floorPermille(ppm) / 10} %`

/** The thousandths that `percent` shows. */
export const floorPermille = (ppm: number): number => Math.floor(ppm / 1000)

/** An interval as percentages, as in "50.1 % to 66.3 %". */
export const percentRange = ({ lower, upper }: Bounds): string =>
  `${percent(lower)} to ${percent(upper)}`

/** A weighted sum is this much less than a whole number at most, in millionths, by its weights. */
const WEIGHTS_ROUNDED = 10_000

/** Millionths of a challenge as whole challenges, rounded down. */
export const challengesIn = (millionths: number): number =>
  Math.floor((millionths + WEIGHTS_ROUNDED) / 1_000_000)

const CELLS = 30
const ALL = 1_000_000

/** The interval of a rate drawn against the ratio to beat. */
export function drawInterval(bounds: Bounds | undefined, ratioPpm: number): string {
  if (bounds === undefined) return '[      nothing decisive        ]'
  const { lower, upper } = bounds
  const cellOf = (ppm: number): number => Math.min(CELLS - 1, Math.floor((ppm / ALL) * CELLS))
  const cells = Array.from({ length: CELLS }, () => ' ')
  cells.fill('━', cellOf(lower), cellOf(upper) + 1)
  cells[cellOf(ratioPpm)] = '┃'
  return `[${cells.join('')}] ${percentRange(bounds)}`
}

/** Whether a line is good or bad news, or a warning, for its reader. */
export type Tone = 'good' | 'bad' | 'warning'

/** A line for people. */
export type Line = string | { readonly text: string; readonly tone: Tone }

/** The text of lines without their tones. */
export const plainText = (lines: string | readonly Line[]): string =>
  [lines]
    .flat()
    .map((line) => (typeof line === 'string' ? line : line.text))
    .join('\n')

/** Texts in a row, as in "a, b and c"; empty for none. */
export const listed = (texts: readonly string[]): string =>
  new Intl.ListFormat('en-GB').format(texts)

/** Gives the name of a hotkey on the screen. */
export type NameOf = (hotkey: string) => string

/** Names hotkeys by this record, and the hotkeys that are not in it by `otherwise`. */
export const naming =
  (names: Readonly<Record<string, string>>, otherwise: NameOf = shortHotkey): NameOf =>
  (hotkey) =>
    Object.hasOwn(names, hotkey) ? printable(names[hotkey] ?? '', 40) : otherwise(hotkey)

/** A hotkey by its first and last letters. */
export const shortHotkey: NameOf = (hotkey) =>
  printable(`${hotkey.slice(0, 6)}…${hotkey.slice(-4)}`)

/**
 * A record as JSON in ASCII, since a terminal acts on some characters that JSON may hold. Counts
 * and stakes that are BigInt become decimal strings.
 */
export function toJson(record: object): string {
  const plain = (_: string, value: unknown): unknown =>
    typeof value === 'bigint' ? String(value) : value
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(record, plain).replace(/[^ -~]/g, escaped)
}
