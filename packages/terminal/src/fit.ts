/**
 * Matches a line with a shell command. `fit` leaves its wrapping to the terminal, so that the
 * command can be copied.
 */
const COMMAND = /^ *\$ /

const HANG = 4

/** Returns the width of the terminal in columns; Infinity without a terminal. */
export function columns(): number {
  const { isTTY, columns } = process.stdout
  return (isTTY && columns) || Number.POSITIVE_INFINITY
}

/**
 * Returns the text with lines of at most `width` columns, except commands. A wider line continues
 * below, indented by `hanging` more columns, but by at most half of `width`.
 */
export function fit(text: string, width: number = columns(), hanging: number = HANG): string {
  const fitted = (line: string): string =>
    line.length <= width || COMMAND.test(line) ? line : fitLine(line, width, hanging)
  return text.split('\n').map(fitted).join('\n')
}

function fitLine(line: string, width: number, hanging: number): string {
  const half = Math.floor(width / 2)
  const words = line.trimStart()
  const indent = Math.min(line.length - words.length, half)
  const hang = Math.min(indent + hanging, half)
  const max = width - hang
  const parts: string[] = []
  let remaining = words.trimEnd()
  while (remaining.length > max) {
    const space = remaining.lastIndexOf(' ', max)
    // A % stays with its number.
    const whole = remaining[space + 1] === '%' ? remaining.lastIndexOf(' ', space - 1) : space
    const end = whole < 0 ? max : whole
    parts.push(remaining.slice(0, end).trimEnd())
    remaining = remaining.slice(end).trimStart()
  }
  return ' '.repeat(indent) + [...parts, remaining].join(`\n${' '.repeat(hang)}`)
}
