import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { expandPath, readEnvironment } from './environment.ts'
import { maskUrls } from './fault-text.ts'
import { columns, fit } from './fit.ts'
import { FAILED, leave, leaveWithStdout } from './leave.ts'
import { endWait, printNotice } from './output.ts'
import { isFile } from './setting.ts'

/**
 * Returns a signal that aborts at the first Ctrl-C or SIGTERM, so that `run` exits with 130. A
 * second signal of the same kind ends the process immediately.
 */
export function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    const reason = new CommanderError(130, 'interrupted', `stopped by ${name}`)
    process.once(name, () => controller.abort(reason))
  }
  return controller.signal
}

/** Settles as `work` does, or rejects with the signal's reason if it aborts first. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = signal.aborted ? undefined : once(signal, 'abort')
  await Promise.race([work, aborted]).finally(() => signal.throwIfAborted())
  return work
}

/** Rejects with the signal's reason when it aborts. */
export const waitForAbort = (signal: AbortSignal): Promise<never> =>
  raceAbort(new Promise<never>(() => {}), signal)

/**
 * Runs a program to its end, and prints an error in one line. The exit code is one of `EXIT_CODES`;
 * 0 if the reader of the output closed it.
 */
export async function run(program: CommandUnknownOpts) {
  const say = createErrorPrinter(program)
  leaveWithStdout(say)
  redirectConsole(say)
  const code = await perform(program, process.argv)
  // Pending work does not matter: everything that counts is on disk.
  if (code !== undefined) await leave(code)
}

/**
 * Runs a program with the words of a command line, whose first two are Node and the program,
 * without ending this process. Resolves with the exit code of an error, if any. Only wrong usage or
 * an interruption replaces `process.exitCode`, which the program sets when it finds a flaw.
 */
export async function perform(
  program: CommandUnknownOpts,
  words: readonly string[],
): Promise<number | undefined> {
  const say = createErrorPrinter(program)
  prepare(program, program.name())
  program.hook('preAction', async (_, command) => {
    warnOfProxy(say)
    const modules = command.getOptionValue('envModule') ?? process.env.AFFINE_ENV_MODULE
    if (modules) await loadModules(String(modules).split(','))
  })
  try {
    await readEnvironment()
    await program.parseAsync(words)
    return undefined
  } catch (error) {
    if (error instanceof CommanderError) return toExitCode(error)
    const { message, code, node } = error as Error & { code?: unknown; node?: unknown }
    say(code === 'Unreachable' && node ? message + NODE_ADVICE : message)
    if (process.exitCode) return Number(process.exitCode)
    return error instanceof RangeError ? USAGE : FAILED
  } finally {
    endWait()
  }
}

/**
 * Loads the modules of environments in these files.
 * @throws RangeError, as a rejection, with the file and the reason.
 */
async function loadModules(files: readonly string[]): Promise<void> {
  const { loadModule } = await import('@affine/envs/modules')
  for (const file of files) {
    const path = expandPath(file, 'env-module')
    if (!isFile(path))
      throw new RangeError(`"env-module" expected a module's file, got ${JSON.stringify(file)}`)
    await loadModule(pathToFileURL(path).href).catch((error) => {
      const reason = error instanceof Error ? error.message : format(error)
      throw new RangeError(`"env-module" cannot load ${file}: ${reason}`)
    })
  }
}

const NODE_ADVICE = ": check this machine's network, or name another node with --network wss://…"

const createErrorPrinter =
  (program: CommandUnknownOpts) =>
  (text: string): void => {
    endWait()
    printNotice(`${program.name()}: ${text}`)
  }

/** Width of help without a terminal, as in commander. */
const HELP_COLUMNS = 80

/** Returns the purpose of a command, the first line of its help. */
export const formatPurpose = (context: { command: CommandUnknownOpts }): string =>
  `${context.command.description()}\n`

/**
 * Makes a command and its subcommands throw usage errors, print them as other errors of `program`,
 * and fit their help to the terminal.
 */
function prepare(command: CommandUnknownOpts, program: string): void {
  command
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({
      commandDescription: () => '', // `formatPurpose` prints it
      subcommandTerm: (subcommand) => subcommand.name(),
    })
    .configureOutput({
      writeOut: (text) =>
        process.stdout.write(fit(text, process.stdout.isTTY ? columns() : HELP_COLUMNS, 0)),
      outputError: (text, write) => write(maskUrls(text.replace(/^error: /, `${program}: `))),
    })
  if (command.commands.length > 0)
    command.helpCommand('help [command]', 'show the help of a command')
  reportUnknownFirst(command)
  for (const subcommand of command.commands) prepare(subcommand, program)
}

/**
 * Makes a command report an unknown option or subcommand first. Commander would first report a
 * missing option, even if the unknown option is the missing option mistyped. It would show help for
 * an unknown subcommand with "help" or "--help".
 */
function reportUnknownFirst(
  command: CommandUnknownOpts & { unknownOption?(flag: string): void; unknownCommand?(): void },
): void {
  // If the command has an argument, an unknown first word is the argument.
  const needsSubcommand = command.commands.length > 0 && command.registeredArguments.length === 0
  command.parseOptions = (words) => {
    const { parseOptions } = Command.prototype
    const silent: Command = Object.create(command, { emit: { value: () => false } })
    const { operands, unknown } = parseOptions.call(silent, words) // sets no option
    const name = operands[operands[0] === 'help' ? 1 : 0]
    const isKnown = command.commands.some((subcommand) => subcommand.name() === name)
    if (needsSubcommand && name !== undefined && !isKnown) {
      command.args = [name]
      command.unknownCommand?.()
    }
    const isHelp = unknown.includes('-h') || unknown.includes('--help')
    // A subcommand checks its own options.
    const isOwn = !needsSubcommand && !isKnown
    if (unknown[0] !== undefined && !isHelp && isOwn) command.unknownOption?.(unknown[0])
    return parseOptions.call(command, words)
  }
}

/** Warns that no proxy is used. Connections are direct, because their addresses are checked. */
function warnOfProxy(say: (text: string) => void): void {
  const isProxy = (name: string): boolean => /^(?:https?|all)_proxy$/i.test(name)
  const name = Object.keys(process.env).find((each) => isProxy(each) && process.env[each])
  if (name !== undefined) say(`${name} is not used: this program connects directly, or not at all`)
}

/** Redirects the console to `say`, because libraries print untrusted text unescaped. */
function redirectConsole(say: (text: string) => void): void {
  const print = (...words: unknown[]): void => say(format(...words))
  Object.assign(console, { debug: print, log: print, info: print, warn: print, error: print })
}

const USAGE = 2

/** Returns the exit code of commander's error, where 1 is wrong usage; undefined after help. */
function toExitCode({ exitCode }: CommanderError): number | undefined {
  if (exitCode === 0) return undefined
  return exitCode === 1 ? USAGE : exitCode
}
