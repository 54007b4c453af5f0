/** The gap between a name and its description; a drawn interval has no gap. */
const GAP = /(?<=[^ [━┃]) {2,}(?=[^ \]])/
/** A word with the spaces before it; a drawn interval is one word. */
const WORD = /(?<! ) *(?:\[[ ━┃]+\]|[^ ])+/g
const SPACES = /^ */
/** A line for a shell. It is broken with a backslash, so that it can be copied. */
const COMMAND = /^\$ /

/** By how many columns the rest of a broken line is indented; of prose by none. */
const HANG = 4

/** The width of the terminal in columns; Infinity without a terminal. */
export function columns(): number {
  const { isTTY, columns } = process.stdout
  return (isTTY && columns) || Number.POSITIVE_INFINITY
}

/**
 * A text with lines no wider than the terminal, except for long words of a command. A line that is
 * too wide continues below: under its description if it begins with a name, else a little indented.
 */
export function fit(text: string, width: number = columns(), hanging: number = HANG): string {
  const fitted = (line: string) => (line.length <= width ? line : fitLine(line, width, hanging))
  return text.split('\n').flatMap(fitted).join('\n')
}

function fitLine(line: string, width: number, hanging: number): readonly string[] {
  const half = Math.floor(width / 2)
  const said = line.replace(SPACES, '')
  const indent = ' '.repeat(Math.min(line.length - said.length, half))
  if (COMMAND.test(said)) {
    const lines = lay((indent + said).match(WORD) ?? [], width - 2, indent.length)
    return lines.map((each, i) => (i < lines.length - 1 ? `${each} \\` : each))
  }
  const hang = Math.min(indent.length + hanging, half)
  const gap = GAP.exec(said)
  if (gap === null) return wrap(indent + said, width, hang)
  const name = indent + said.slice(0, gap.index)
  const start = name.length + gap[0].length
  if (start <= half) return wrap(indent + said, width, start)
  const rest = said.slice(gap.index).replace(SPACES, ' '.repeat(hang))
  return [...wrap(name, width, hang), ...wrap(rest, width, hang)]
}

/** Lines of at most `width` columns, of which all but the first begin at the column `hang`. */
export function wrap(text: string, width: number, hang = 0): readonly string[] {
  const words = text.match(WORD) ?? []
  return lay(
    words.flatMap((word) => cut(word, width - hang)),
    width,
    hang,
  )
}

/** A word in parts of at most `most` characters; the spaces before it stay with the first part. */
function cut(word: string, most: number): readonly string[] {
  const [spaces = ''] = SPACES.exec(word) ?? []
  const characters = [...word.slice(spaces.length)]
  return Array.from({ length: Math.ceil(characters.length / most) }, (_, i) => {
    const part = characters.slice(i * most, (i + 1) * most).join('')
    return i === 0 ? spaces + part : part
  })
}

/** Joins words to lines. A word keeps the spaces before it, unless it begins a line. */
function lay(words: readonly string[], width: number, hang: number): readonly string[] {
  const [first = '', ...others] = words
  const lines: string[] = []
  let line = first
  for (const word of others) {
    if (line.length + word.length <= width) line += word
    else {
      lines.push(line)
      line = word.replace(SPACES, ' '.repeat(hang))
    }
  }
  return [...lines, line]
}
