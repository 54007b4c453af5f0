import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { printable } from './text.ts'

/** Where a command says what happens: lines for people, or one JSON object a line for machines. */
export interface Output {
  /** Says `text`, or with `--json` the record. */
  line(text: string, record: object): void
  /**
   * A passing state of things: shown on one line of a terminal, overwritten by the next. Nothing
   * elsewhere.
   */
  status(text: string): void
}

/** Counts and stakes are BigInt in places: in JSON they are decimal strings. */
const plain = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value

/** JSON in ASCII: a terminal acts on some characters that JSON may hold as they are. */
export const toJson = (record: object): string =>
  JSON.stringify(record, plain).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export function output(json = false): Output {
  const { stdout } = process
  if (json)
    return { line: (_, record) => void stdout.write(`${toJson(record)}\n`), status: () => {} }
  const clear = stdout.isTTY ? '\r\x1b[K' : ''
  return {
    line: (text) => void stdout.write(`${clear}${text}\n`),
    status: (text) =>
      void (stdout.isTTY && stdout.write(`${clear}${text.slice(0, stdout.columns - 1)}`)),
  }
}

/**
 * A signal that aborts at the first Ctrl-C or SIGTERM, for `run` to exit with 130; the second ends
 * the process at once.
 */
export function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () =>
      controller.abort(new CommanderError(130, 'interrupted', `stopped by ${name}`)),
    )
  return controller.signal
}

/**
 * Settles as `work` does, or rejects with the reason of `signal` once that aborts, whatever `work`
 * does then.
 */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted =
    signal.aborted ||
    new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await Promise.race([work, aborted]).finally(() => signal.throwIfAborted())
  return work
}

/**
 * Runs a program to its end: what went wrong in one line, exit code 0 done, 1 failed, 2 wrong
 * usage, 130 interrupted.
 */
export async function run(program: CommandUnknownOpts): Promise<void> {
  await program.parseAsync().catch((error: Error) => {
    // At once, whatever is still under way: what counts is on disk. Commander has said what was
    // wrong, and calls it 1.
    if (error instanceof CommanderError) process.exit(error.exitCode === 1 ? 2 : error.exitCode)
    process.stderr.write(`${program.name()}: ${printable(error.message, 1000)}\n`)
    process.exit(error instanceof RangeError ? 2 : 1)
  })
}
