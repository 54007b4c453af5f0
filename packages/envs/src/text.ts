import { blake3 } from '@affine/prng'
import { hex } from '@scure/base'

/** Maximum bytes of a recorded reply, as canonical JSON text without its quotes. */
const MAX_BYTES = 640

/**
 * Maximum bytes of the recorded end of a longer reply. The line `[<n> bytes, <hash>]` before it has
 * up to 96 bytes.
 */
const MAX_TAIL_BYTES = 544

/**
 * Line ends that become LF: CR LF, CR, NEL, and Unicode's line and paragraph separators.
 */
const LINE_END = '\\r\\n|[\\r\\u0085\\u2028\\u2029]'

/**
 * Escape sequences of ECMA-48, in 7 and 8 bits: CSI up to its final byte; the strings OSC, DCS,
 * SOS, PM and APC up to BEL, ST, or the first other control or line end, so that an unterminated
 * string removes at most its line; and single sequences. No alternative looks ahead further than it
 * matches, so time is linear.
 */
const SEQUENCE =
  '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?|' +
  '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])' +
  '[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*(?:\\u0007|\\u001b\\\\|\\u009c)?|' +
  '\\u001b[ -/]*[0-~]'

/**
 * Controls other than LF, lone surrogates, and invisible characters: Unicode 16's
 * Default_Ignorable_Code_Point and the interlinear annotations. They are listed here so that an
 * engine's newer table does not change an old transcript.
 */
const HIDDEN =
  '[\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160' +
  '\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164' +
  '\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ud800-\\udfff' +
  '\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]'

/** Text that needs no normalisation. This test takes a fifth of the time of `PATTERN`. */
const PLAIN = /^[\n -~]*$/

const PATTERN = /* @__PURE__ */ new RegExp(`(${LINE_END})|(${SEQUENCE})|${HIDDEN}`, 'gu')

/**
 * Returns a reply without dangerous characters: line ends become LF, escape sequences are removed,
 * and every other control (also tab), invisible or bidirectional character and lone surrogate
 * becomes U+FFFD. Does not apply Unicode normalisation or trim.
 *
 * Idempotent: one pass leaves no character that starts a match, so a removal cannot create a new
 * sequence. Does not make text safe for HTML, and does not replace letters that look identical.
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
 * Returns a reply in the form that is read and recorded: normalised and, if it is too long, reduced
 * to its last lines that fit, or the end of its last line, after a line `[<n> bytes, <hash>]`. n is
 * the number of removed UTF-8 bytes, and the hash their BLAKE3. The result has at most 640 bytes,
 * and recording it again does not change it.
 *
 * The first line is not proof of a removed text: a reply can begin with such a line itself.
 * Vectors: vectors/envs/recorded.json. Protocol §3.2.
 */
export function recordReply(reply: string): string {
  const text = normalise(reply)
  if (isShort(text)) return text
  const tail = findTail(text)
  const removed = encoder.encode(text.slice(0, text.length - tail.length))
  return `[${removed.length} bytes, ${hex.encode(blake3(removed))}]\n${tail}`
}

/** Reports whether `recordReply` can return a text. Does not read a text that is too long. */
export function isRecorded(text: string): boolean {
  return text.length <= MAX_BYTES && normalise(text) === text && isShort(text)
}

/** Reports whether a normalised text is recorded whole. A UTF-16 unit takes at most 3 bytes. */
function isShort(text: string): boolean {
  return 3 * text.length <= MAX_BYTES || (text.length <= MAX_BYTES && countBytes(text) <= MAX_BYTES)
}

/**
 * Returns the last lines of a long text that fit or, if its last line does not fit, the last code
 * points that do.
 */
function findTail(text: string): string {
  let start = text.length
  let freeBytes = MAX_TAIL_BYTES
  for (const character of [...text.slice(-MAX_TAIL_BYTES)].reverse()) {
    freeBytes -= countBytes(character)
    if (freeBytes < 0) break
    start -= character.length
  }
  const line = text.indexOf('\n', start - 1) + 1
  return text.slice(line === 0 ? start : line)
}

const encoder = /* @__PURE__ */ new TextEncoder()

/** Returns the number of bytes of a text's canonical JSON text without quotes. Protocol §1.1. */
function countBytes(text: string): number {
  const json = JSON.stringify(text)
  return (PLAIN.test(json) ? json : encoder.encode(json)).length - 2
}

/** The pairs of signs that may enclose an answer. No two pairs have the same beginning. */
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

/** The signs of pairs, except round and square brackets. */
const PAIR_SIGNS = /[*_`"$\\{}]/

/**
 * Returns the answer of a recorded reply, which environments parse. It is the last line with a
 * character other than a blank (U+0020), without blanks at both ends, full stops at the end and
 * enclosing pairs, which are removed repeatedly. If a sign of a pair remains, some pair did not
 * enclose the complete answer, and the answer is the line with only its outer blanks removed.
 *
 * Accepts any text, in linear time. Empty for a text of only blanks and LF. Idempotent.
 * Vectors: vectors/envs/replies.json. Protocol §3.2.
 */
export function extractAnswer(text: string): string {
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
  const content = line.slice(start, end)
  return PAIR_SIGNS.test(content) ? line : content
}

/** Returns the last line with a character other than a blank, without blanks at its ends. */
function findLastLine(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\n')) end -= 1
  let start = text.lastIndexOf('\n', end - 1) + 1
  while (text[start] === ' ') start += 1
  return text.slice(start, end)
}
