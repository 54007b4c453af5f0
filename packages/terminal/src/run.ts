import { once } from 'node:events'
import { format } from 'node:util'
import { printable } from '@affine/report/text'
import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { IsOurs } from './env-lines.ts'
import { readEnvironment } from './environment.ts'
import { faultText, maskUrls } from './fault-text.ts'
import { columns, fit } from './fit.ts'
import { FAILED, leave, leaveWithStdout } from './leave.ts'

/**
 * A signal that aborts at the first Ctrl-C or SIGTERM, so that `run` exits with 130. The second one
 * ends the process at once.
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
 * Settles as `work` does. If `signal` aborts first, it rejects with the signal's reason and no
 * longer waits for `work`.
 */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = signal.aborted ? undefined : once(signal, 'abort')
  await Promise.race([work, aborted]).finally(() => signal.throwIfAborted())
  return work
}

/** Rejects with the reason of the signal once it aborts. */
export const untilAborted = (signal: AbortSignal): Promise<never> =>
  raceAbort(new Promise<never>(() => {}), signal)

export interface RunOptions {
  readonly isOurs?: IsOurs
}

/**
 * Runs a program to its end. An error is printed in one line. The exit code is one of `EXIT_CODES`;
 * 0 also if the reader of its output closed it. `isOurs` tells which variables `.env` may set.
 */
export async function run(program: CommandUnknownOpts, options: RunOptions = {}): Promise<void> {
  const say = sayingAs(program)
  leaveWithStdout(say)
  sayWhatLibrariesPrint(say)
  const code = await perform(program, process.argv, options)
  // It does not wait for work under way: everything that counts is on disk.
  if (code !== undefined) await leave(code)
}

/**
 * The same for the words of a command line, whose first two are Node and the program, within this
 * process. Resolves with the exit code of an error; undefined without one. If `process.exitCode` is
 * set, an error leaves it: the program has found something that does not hold.
 */
export async function perform(
  program: CommandUnknownOpts,
  words: string[],
  { isOurs }: RunOptions = {},
): Promise<number | undefined> {
  const say = sayingAs(program)
  prepare(program, program.name())
  program.hook('preAction', () => sayProxy(say))
  try {
    await readEnvironment(words, isOurs)
    await program.parseAsync(words)
    return undefined
  } catch (error) {
    if (error instanceof CommanderError) return codeOf(error)
    say(faultText(error as Error))
    if (process.exitCode) return Number(process.exitCode)
    return error instanceof RangeError ? USAGE : FAILED
  }
}

const sayingAs =
  (program: CommandUnknownOpts) =>
  (text: string): void => {
    process.stderr.write(`${program.name()}: ${printable(maskUrls(text), 1000)}\n`)
  }

/** If less width is left beside a name, its description goes below. */
const NARROWEST_HELP = 24

/**
 * Makes a command and its subcommands throw usage errors, said as all errors of `program` are, and
 * fit their help to the terminal.
 */
function prepare(command: CommandUnknownOpts, program: string): void {
  command
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ minWidthToWrap: NARROWEST_HELP })
    .configureOutput({
      writeOut: (text) => process.stdout.write(fit(text, columns(), 0)),
      outputError: (text, write) => write(maskUrls(text.replace(/^error: /, `${program}: `))),
    })
  if (command.commands.length > 0)
    command.helpCommand('help [command]', 'show the help of a command')
  for (const below of command.commands) prepare(below, program)
}

/** Connections are made directly, because the addresses that they lead to are checked. */
function sayProxy(say: (text: string) => void): void {
  const isProxy = (name: string): boolean => /^(?:https?|all)_proxy$/i.test(name)
  const name = Object.keys(process.env).find((each) => isProxy(each) && process.env[each])
  if (name !== undefined) say(`${name} is not used: this program connects directly, or not at all`)
}

/** Libraries print untrusted text unescaped and on standard output; this redirects it. */
function sayWhatLibrariesPrint(say: (text: string) => void): void {
  const print = (...words: unknown[]): void => say(format(...words))
  Object.assign(console, { debug: print, log: print, info: print, warn: print, error: print })
}

/** The exit code of wrong usage. */
const USAGE = 2

/** Commander has printed the usage error, for which its code is 1, or help, for which it is 0. */
function codeOf({ exitCode }: CommanderError): number | undefined {
  if (exitCode === 0) return undefined
  return exitCode === 1 ? USAGE : exitCode
}
