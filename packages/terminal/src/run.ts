import { format } from 'node:util'
import { printable } from '@affine/report'
import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { type IsOurs, readEnvironment } from './environment.ts'
import { faultText } from './fault-text.ts'
import { fit } from './fit.ts'
import { leave, leaveWithStdout } from './leave.ts'
import { maskUrls } from './mask-urls.ts'

/**
 * A signal that aborts at the first Ctrl-C or SIGTERM, for `run` to exit with 130; the second ends
 * the process at once.
 */
export function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    const reason = new CommanderError(130, 'interrupted', `stopped by ${name}`)
    process.once(name, () => controller.abort(reason))
  }
  return controller.signal
}

/**
 * Settles as `work` does, or rejects with the reason of `signal` once that aborts, whatever `work`
 * does then.
 */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([work, aborted]).finally(() => signal.throwIfAborted())
  return work
}

/**
 * Runs a program to its end: what went wrong in one line, exit code 0 done or nobody reads what it
 * says any more, 1 failed, 2 wrong usage, 130 interrupted. `isOurs` says what `.env` may give.
 */
export async function run(program: CommandUnknownOpts, isOurs?: IsOurs): Promise<void> {
  const say = (text: string): void => {
    process.stderr.write(`${program.name()}: ${printable(maskUrls(text), 1000)}\n`)
  }
  prepare(program)
  leaveWithStdout(say)
  sayWhatLibrariesPrint(say)
  await parse(program, isOurs).catch((error: Error) => {
    if (isHelp(error)) return undefined
    // At once, whatever is still under way: what counts is on disk.
    if (error instanceof CommanderError) return leave(codeOf(error))
    say(faultText(error))
    return leave(error instanceof RangeError ? 2 : 1)
  })
}

/** Where less is left beside a name, what is said of it goes below. */
const NARROWEST_HELP = 24

/** Has a command, and those below it, throw what is wrong with the usage, and help that fits. */
function prepare(command: CommandUnknownOpts): void {
  command
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureHelp({ minWidthToWrap: NARROWEST_HELP })
    .configureOutput({ writeOut: (text) => process.stdout.write(fit(text)) })
  for (const below of command.commands) prepare(below)
}

/** With what the environment, and the file beside it, have for the options. */
async function parse(program: CommandUnknownOpts, isOurs?: IsOurs): Promise<void> {
  await readEnvironment(process.argv, isOurs)
  await program.parseAsync()
}

/** Some print what strangers told them, as it is, and on standard output. */
function sayWhatLibrariesPrint(say: (text: string) => void): void {
  const print = (...words: unknown[]): void => say(format(...words))
  Object.assign(console, { debug: print, log: print, info: print, warn: print, error: print })
}

/** It was asked for and printed, as a version is. */
const isHelp = (error: Error): boolean => error instanceof CommanderError && error.exitCode === 0

/** Commander has said what was wrong with the usage, and calls it 1. */
const codeOf = ({ exitCode }: CommanderError): number => (exitCode === 1 ? 2 : exitCode)
