import { format } from 'node:util'
import { printable } from '@affine/report'
import { CommanderError, type CommandUnknownOpts, Help } from '@commander-js/extra-typings'
import type { IsOurs } from './env-lines.ts'
import { readEnvironment } from './environment.ts'
import { faultText } from './fault-text.ts'
import { columns, fit } from './fit.ts'
import { takesPath, wholePath } from './home.ts'
import { leave, leaveWithStdout } from './leave.ts'
import { maskUrls } from './mask-urls.ts'

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
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([work, aborted]).finally(() => signal.throwIfAborted())
  return work
}

export interface RunOptions {
  readonly isOurs?: IsOurs
  /** The exit code when the program could not do its work. */
  readonly failed?: number
}

/**
 * Runs a program to its end. An error is printed in one line. Exit codes: 0 done, or the reader of
 * its output closed it; `failed`; 2 wrong usage; 130 interrupted; or the error's own `exitCode`.
 * `isOurs` tells which variables `.env` may set.
 */
export async function run(
  program: CommandUnknownOpts,
  { isOurs, failed = 1 }: RunOptions = {},
): Promise<void> {
  const say = (text: string): void => {
    process.stderr.write(`${program.name()}: ${printable(maskUrls(text), 1000)}\n`)
  }
  prepare(program, program.name())
  program.hook('preAction', () => sayProxy(say))
  leaveWithStdout(say, failed)
  sayWhatLibrariesPrint(say)
  await parse(program, isOurs).catch((error: Error) => {
    if (isHelp(error)) return undefined
    // It does not wait for work under way: everything that counts is on disk.
    if (error instanceof CommanderError) return leave(codeOf(error))
    say(faultText(error))
    return leave(exitCodeOf(error) ?? failed)
  })
}

/** If less width is left beside a name, its description goes below. */
const NARROWEST_HELP = 24

/**
 * Makes a command and its subcommands throw usage errors, said as all errors of `program` are, and
 * fit their help to the terminal, and expands `~` in options that take a path.
 */
function prepare(command: CommandUnknownOpts, program: string): void {
  command
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ minWidthToWrap: NARROWEST_HELP, optionDescription: describe })
    .configureOutput({
      writeOut: (text) => process.stdout.write(fit(text, columns(), 0)),
      outputError: (text, write) => write(text.replace(/^error: /, `${program}: `)),
    })
  if (command.commands.length > 0)
    command
      .helpCommand('help [command]', 'show the help of a command')
      .on('beforeHelp', ({ error }) => error && refuseUnknown(command))
  for (const option of command.options)
    if (takesPath(option.flags)) option.argParser((path) => wholePath(path, option.name()))
  for (const below of command.commands) prepare(below, program)
}

/** Commander puts the variable apart from a default that is told in words. */
const describe: Help['optionDescription'] = (option) =>
  new Help().optionDescription(option).replace(') (env: ', ', env: ')

/** For `help` of an unknown command commander shows the whole help, without a word of why. */
function refuseUnknown(command: CommandUnknownOpts): void {
  const [, name] = command.args
  if (name !== undefined) command.parse([name], { from: 'user' })
}

/** Parses the command line, with options from the environment and from `.env`. */
async function parse(program: CommandUnknownOpts, isOurs?: IsOurs): Promise<void> {
  await readEnvironment(process.argv, isOurs)
  await program.parseAsync()
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

/** Help or the version was asked for, and is printed. */
const isHelp = (error: Error): boolean => error instanceof CommanderError && error.exitCode === 0

const exitCodeOf = (error: Error & { readonly exitCode?: number }): number | undefined =>
  error.exitCode ?? (error instanceof RangeError ? 2 : undefined)

/** Commander has printed the usage error, for which its code is 1; ours is 2. */
const codeOf = ({ exitCode }: CommanderError): number => (exitCode === 1 ? 2 : exitCode)
