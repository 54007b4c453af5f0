/** How deep arrays and objects may be nested. */
const MAX_DEPTH = 64

const STEPS: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 }

/**
 * The value of an untrusted JSON text. Deep nesting, and many short values, can take a hundred
 * times the memory of their text: both are counted before the text is parsed.
 * @throws Error if the text is not JSON, is nested deeper than 64, or has more commas than
 *   `maxCommas`.
 */
export function parseJson(text: string, maxCommas: number): unknown {
  let depth = 0
  let commas = 0
  for (let at = 0; at < text.length; at++) {
    const mark = text[at] ?? ''
    if (mark === '"') at = endOfString(text, at)
    depth += STEPS[mark] ?? 0
    if (mark === ',') commas += 1
    if (depth > MAX_DEPTH || commas > maxCommas)
      throw new RangeError('the JSON is too deep, or too large')
  }
  return JSON.parse(text)
}

/** The index of the quote that ends a string; past the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
