/** Where a command says what happens: lines for people, or one JSON object a line for machines. */
export interface Output {
  /** Says `text`, or with `--json` the record. */
  line(text: string, record: object): void
  /** A passing state of things: shown on one line of a terminal, overwritten by the next. Nothing elsewhere. */
  status(text: string): void
}

/** Counts and stakes are BigInt in places: in JSON they are decimal strings. */
const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

export function output(json: boolean): Output {
  if (json) return { line: (_, record) => write(`${JSON.stringify(record, plain)}\n`), status: () => {} }
  const live = process.stdout.isTTY
  const clear = live ? '\r\x1b[K' : ''
  return {
    line: (text) => write(`${clear}${text}\n`),
    status: (text) => live && write(`${clear}${text.slice(0, process.stdout.columns - 1)}`),
  }
}

function write(text: string): boolean {
  return process.stdout.write(text)
}

/** A signal that aborts at the first Ctrl-C or SIGTERM; the second ends the process at once. */
export function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => controller.abort(new Interrupted(`stopped by ${name}`)))
  }
  return controller.signal
}

/** Rejects when the signal aborts, with its reason. */
export function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal.reason)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

/** The user asked for the end: no failure, and exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
