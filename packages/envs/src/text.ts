import { blake3 } from '@affine/prng'
import { hex } from '@scure/base'

/** The most bytes that a recorded reply has, as canonical JSON text without its quotes. */
const MOST_BYTES = 640

/** Those of a longer reply's end: the rest is for the line in front of it, which has up to 96. */
const MOST_KEPT_BYTES = 544

/**
 * What ends a line: CR LF and CR as on other systems, NEL, and Unicode's line and paragraph
 * separators.
 */
const LINE_END = '\\r\\n|[\\r\\u0085\\u2028\\u2029]'

/**
 * Escape sequences of ECMA-48, in 7 and 8 bits: CSI up to its final byte; the strings OSC, DCS,
 * SOS, PM and APC up to BEL, ST, or whatever control or line end comes first, so that an
 * unterminated one costs at most its line; and single ones. Every alternative matches without
 * looking ahead further than it takes: time is linear.
 */
const SEQUENCE =
  '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?|' +
  '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])' +
  '[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*(?:\\u0007|\\u001b\\\\|\\u009c)?|' +
  '\\u001b[ -/]*[0-~]'

/**
 * Controls other than LF, lone surrogates, and what is invisible: Unicode 16's
 * Default_Ignorable_Code_Point and the interlinear annotations, written out so that no engine's
 * newer table changes an old transcript.
 */
const HIDDEN =
  '[\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160' +
  '\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164' +
  '\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ud800-\\udfff' +
  '\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]'

/** Text that surely has none of these characters; this test takes a fifth of the time. */
const PLAIN = /^[\n -~]*$/

const PATTERN = /* @__PURE__ */ new RegExp(`(${LINE_END})|(${SEQUENCE})|${HIDDEN}`, 'gu')

/**
 * A reply made harmless: line ends become LF, escape sequences go, every other control
 * (tab too), invisible or bidirectional character and lone surrogate becomes U+FFFD. No Unicode
 * normalisation, no trimming.
 *
 * One pass, and nothing that starts a match is ever left, so a removal cannot make a new sequence:
 * it is idempotent. It does not make text safe for HTML, and look-alike letters stay what they are.
 * Protocol §3.2.
 */
export function normalise(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replace(PATTERN, (_match, lineEnd?: string, sequence?: string) => {
    if (lineEnd !== undefined) return '\n'
    if (sequence !== undefined) return ''
    return '\ufffd'
  })
}

/**
 * A reply as it is read and recorded: normalised, and if that is long, its last lines that fit, or
 * the end of its last line, behind a first line `[<n> bytes, <hash>]`. n counts the UTF-8 bytes
 * that were left out, and the hash is their BLAKE3. It has at most 640 bytes, so recording it again
 * changes nothing.
 *
 * The first line is only said: nothing in a record shows what was left out, and a reply may begin
 * with such a line of its own. Vectors: vectors/envs/recorded.json. Protocol §3.2.
 */
export function recordedOf(reply: string): string {
  const text = normalise(reply)
  if (isShort(text)) return text
  const kept = findTail(text)
  const left = encoder.encode(text.slice(0, text.length - kept.length))
  return `[${left.length} bytes, ${hex.encode(blake3(left))}]\n${kept}`
}

/** Is it a text that `recordedOf` gives? What is too long is refused unread. */
export function isRecorded(text: string): boolean {
  return text.length <= MOST_BYTES && normalise(text) === text && isShort(text)
}

/** Can a normalised text be recorded whole? A UTF-16 unit of it takes at most 3 bytes. */
function isShort(text: string): boolean {
  return (
    3 * text.length <= MOST_BYTES || (text.length <= MOST_BYTES && countBytes(text) <= MOST_BYTES)
  )
}

/** The last lines of a long text that fit, or the end of its last line, from a code point on. */
function findTail(text: string): string {
  let start = text.length
  let room = MOST_KEPT_BYTES
  for (const character of [...text.slice(-MOST_KEPT_BYTES)].reverse()) {
    room -= countBytes(character)
    if (room < 0) break
    start -= character.length
  }
  const line = text.indexOf('\n', start - 1) + 1
  return text.slice(line === 0 ? start : line)
}

const encoder = /* @__PURE__ */ new TextEncoder()

/** The bytes of a text's canonical JSON text, its quotes left out. Protocol §1.1. */
const countBytes = (text: string): number => encoder.encode(JSON.stringify(text)).length - 2

/** The signs of each pair that an answer may stand in. No two pairs begin alike. */
const PAIRS = [
  ['*', '*'],
  ['_', '_'],
  ['`', '`'],
  ['"', '"'],
  ['$', '$'],
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['\\boxed{', '}'],
  ['\\text{', '}'],
] as const

/** What pairs are made of; brackets alone are not. */
const OF_PAIRS = /[*_`"$\\{}]/

/**
 * The answer of a recorded reply, which environments read. The line is the last one that holds
 * anything but blanks (U+0020), without those at its ends. As often as they apply, blanks at both
 * ends go, full stops at the end, and a pair around it. If a sign of pairs is left then, some pair
 * was not around all of it: nothing goes, and the answer is the line.
 *
 * Takes any text, in linear time; empty for one of blanks and LF alone. The answer of an answer is
 * that answer. Vectors: vectors/envs/replies.json. Protocol §3.2.
 */
export function answerOf(text: string): string {
  const line = findLastLine(text)
  let [start, end] = [0, line.length]
  for (;;) {
    while (line[start] === ' ') start += 1
    while (end > start && (line[end - 1] === ' ' || line[end - 1] === '.')) end -= 1
    const pair = PAIRS.find(
      ([first, last]) =>
        end - start >= first.length + last.length &&
        line.startsWith(first, start) &&
        line.endsWith(last, end),
    )
    if (pair === undefined) break
    start += pair[0].length
    end -= pair[1].length
  }
  const rest = line.slice(start, end)
  return OF_PAIRS.test(rest) ? line : rest
}

/** The last line that holds anything but blanks, without those at its ends. */
function findLastLine(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\n')) end -= 1
  let start = text.lastIndexOf('\n', end - 1) + 1
  while (text[start] === ' ') start += 1
  return text.slice(start, end)
}
