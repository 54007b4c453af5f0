/** How deep arrays and objects may lie in each other. */
const MAX_DEPTH = 64

const STEPS: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 }

/**
 * What a stranger's JSON text says. Nesting, and many values in few characters, take a hundred
 * times the memory of their text: both are counted before it is parsed.
 * @throws Error when it is no JSON, nests deeper than 64, or has more commas than `maxCommas`.
 */
export function parseJson(text: string, maxCommas: number): unknown {
  let depth = 0
  let commas = 0
  for (let at = 0; at < text.length; at++) {
    const mark = text[at] ?? ''
    if (mark === '"') at = endOfString(text, at)
    depth += STEPS[mark] ?? 0
    if (mark === ',') commas += 1
    if (depth > MAX_DEPTH || commas > maxCommas) throw new RangeError('too deep, or too much')
  }
  return JSON.parse(text)
}

/** Where the quote is that ends a string; beyond the text if there is none. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
