import { endOfString } from './canonical-json.ts'

/** Maximum structure of a JSON text. */
export interface JsonBounds {
  /** Maximum commas and opening brackets, square or curly, outside strings. */
  readonly items: number
  /** Maximum nesting of arrays and objects. */
  readonly depth: number
}

/**
 * Returns the value of an untrusted JSON text. Deep nesting and many short values can take a
 * hundred times the memory of their text, so both are counted before parsing.
 * @throws RangeError if the text exceeds the bounds; SyntaxError if it is not JSON.
 */
export function parseBounded(text: string, { items, depth }: JsonBounds): unknown {
  let [count, level] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (sign === '"') at = endOfString(text, at)
    if ('[{'.includes(sign)) level++
    if (']}'.includes(sign)) level--
    if ('[{,'.includes(sign)) count++
    if (count > items || level > depth)
      throw new RangeError(
        `JSON expected at most ${items} commas and opening brackets, nested ${depth} deep`,
      )
  }
  return JSON.parse(text)
}
