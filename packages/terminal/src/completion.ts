import { type EnvSpec, registry } from '@affine/envs'
import { NETWORKS } from '@affine/settlement'
import {
  Argument,
  Command,
  type CommandUnknownOpts,
  type Option,
} from '@commander-js/extra-typings'
import { offerOf, SHELLS, scriptOf } from './completion-script.ts'

/** An environment as Gymnasium names it, with its major version: `mult8-v0`. */
const gymName = ({ name, version }: EnvSpec): string => `${name}-v${version.split('.')[0]}`

/** The values that an option or an argument of this name accepts. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  env: [...new Set([...registry.values()].map(gymName))],
  network: Object.keys(NETWORKS),
}

/** `completion`: prints the script for a shell; with words, the completions of the last one. */
export function completionOf(program: CommandUnknownOpts): CommandUnknownOpts {
  const name = program.name()
  return new Command('completion')
    .description('print what makes a shell complete commands, options, environments and networks')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .argument(
      '[words...]',
      'after "--", the words typed so far: prints the completions of the last one',
    )
    .addHelpText('after', examplesOf(name))
    .action((shell, words) => {
      const { stdout } = process
      if (words.length === 0) return void stdout.write(scriptOf(shell, name))
      const start: Place = { command: program, below: program.commands, given: 0 }
      for (const { word, about } of candidatesFor(words, start))
        stdout.write(`${offerOf(shell, word, about)}\n`)
    })
}

const examplesOf = (name: string): string => `
Examples:
  $ source <(${name} completion bash)        # in ~/.bashrc
  $ source <(${name} completion zsh)         # in ~/.zshrc, after compinit
  $ ${name} completion fish | source         # in ~/.config/fish/config.fish`

/** The command and the argument that the words have led to. */
interface Place {
  readonly command: CommandUnknownOpts
  /** The commands that may follow it. */
  readonly below: readonly CommandUnknownOpts[]
  /** How many of its arguments have been given. */
  readonly given: number
  /** The option whose value comes next. */
  readonly option?: Option | undefined
}

/** A word that may come next, and what it is. */
interface Completion {
  readonly word: string
  readonly about: string
}

function candidatesFor(words: readonly string[], start: Place): readonly Completion[] {
  const typed = words.at(-1) ?? ''
  const place = words.slice(0, -1).reduce(after, start)
  const all = typed.startsWith('-') ? optionsAt(place) : [...commandsAt(place), ...valuesAt(place)]
  return all.filter(({ word }) => word.startsWith(typed))
}

function after(place: Place, word: string): Place {
  const { command, below, given, option } = place
  if (word.startsWith('-')) return { ...place, option: valuedOption(command, word) }
  if (option !== undefined) return { ...place, option: option.variadic ? option : undefined }
  const named = given === 0 ? below.find((each) => ownName(each) === word) : undefined
  if (named === undefined) return { ...place, given: given + 1 }
  return { command: named, below: named.commands, given: 0 }
}

/** The name without the program's name before it. */
const ownName = (command: CommandUnknownOpts): string => command.name().split(' ').at(-1) ?? ''

function valuedOption(command: CommandUnknownOpts, word: string): Option | undefined {
  return optionsOf(command).find(
    ({ long, short, required, optional }) =>
      (long === word || short === word) && (required || optional),
  )
}

/** The options that its help shows, and the program's own except its version. */
function optionsOf(command: CommandUnknownOpts): readonly Option[] {
  const help = command.createHelp()
  help.showGlobalOptions = true
  const ofProgram = help.visibleGlobalOptions(command).filter(({ long }) => long !== '--version')
  return [...help.visibleOptions(command), ...ofProgram]
}

function optionsAt({ command }: Place): readonly Completion[] {
  return optionsOf(command).map(({ long = '', description }) => ({
    word: long,
    about: description,
  }))
}

function commandsAt({ below, given, option }: Place): readonly Completion[] {
  if (given > 0 || option !== undefined) return []
  return below.map((each) => ({ word: ownName(each), about: each.description() }))
}

function valuesAt({ command, given, option }: Place): readonly Completion[] {
  const last = command.registeredArguments.at(-1)
  const argument = command.registeredArguments[given] ?? (last?.variadic ? last : undefined)
  const name = option ? option.attributeName() : argument?.name()
  const { argChoices = VALUES[name ?? ''] ?? [], description = '' } = option ?? argument ?? {}
  return argChoices.map((word) => ({ word, about: description }))
}
