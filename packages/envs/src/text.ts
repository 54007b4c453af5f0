/** The most UTF-8 bytes a normalised reply may have; one more is an `oversize` fault. */
const MAX_BYTES = 4096

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
 * A reply as it is judged and stored: line ends become LF, escape sequences go, every other control
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
 * Has `text` more than MAX_BYTES bytes in UTF-8? Short texts need no count, and of long ones the
 * start will do. Protocol §3.1.
 */
export function isOversize(text: string): boolean {
  return (
    text.length * 3 > MAX_BYTES &&
    new TextEncoder().encode(text.slice(0, MAX_BYTES + 1)).length > MAX_BYTES
  )
}

/** What follows the last LF, untrimmed. Protocol §3.2. */
export function lastLineOf(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1)
}
