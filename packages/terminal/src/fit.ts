/** Between a name and what is said of it; there is none in a drawn interval. */
const GAP = /(?<=[^ [━┃]) {2,}(?=[^ \]])/
/** A word with the spaces before it; a drawn interval is one. */
const WORD = / *(?:\[[ ━┃]+\]|[^ ])+/g
const SPACES = /^ */
/** A line for a shell: broken as a shell reads it, so that it can be copied. */
const COMMAND = /^\$ /

/** Columns by which a line goes on further to the right. */
const HANG = 4

/** How wide a line of the terminal is, in columns; without a terminal there is no limit. */
export function columns(): number {
  const { isTTY, columns } = process.stdout
  return (isTTY && columns) || Number.POSITIVE_INFINITY
}

/**
 * A text without a line wider than the terminal, but for words of a command. A line that is too
 * wide goes on below: under what is said in it where a name stands before that, else a little
 * further to the right.
 */
export function fit(text: string, width: number = columns()): string {
  const lines = text.split('\n')
  return lines.flatMap((line) => (line.length <= width ? line : fitLine(line, width))).join('\n')
}

function fitLine(line: string, width: number): readonly string[] {
  const half = Math.floor(width / 2)
  const said = line.replace(SPACES, '')
  const indent = ' '.repeat(Math.min(line.length - said.length, half))
  if (COMMAND.test(said)) {
    const lines = lay((indent + said).match(WORD) ?? [], width - 2, indent.length)
    return lines.map((each, i) => (i < lines.length - 1 ? `${each} \\` : each))
  }
  const hang = Math.min(indent.length + HANG, half)
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

/** A word with the spaces before it in parts, of which the word's own are at most `most` long. */
function cut(word: string, most: number): readonly string[] {
  const [spaces = ''] = SPACES.exec(word) ?? []
  const parts = word.slice(spaces.length).match(new RegExp(`.{1,${most}}`, 'gsu')) ?? []
  return parts.map((part, i) => (i === 0 ? spaces + part : part))
}

/** Lines of words, each with the spaces before it that it keeps unless a line begins with it. */
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
