import type { LoadIsOwnVariable } from '@affine/terminal'
import { EXIT_CODES_TEXT } from '@affine/terminal/leave'
import { formatPurpose } from '@affine/terminal/run'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import manifest from '../package.json' with { type: 'json' }

/** The groups of commands in help, and for each command its usage and description. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Validate:': {
    'setup [options]': 'ask for settings and write .env',
    'doctor [options]': "check a validator's or a miner's setup",
    'validate [options]': 'run a validator',
    'set-weights [options]': 'compute and set weights once',
  },
  'Mine:': {
    'practise [options] <player>': 'score an endpoint on challenges',
    'duel [options] <champion> <contender>': 'test which of two players is better',
    'miner [options]': 'serve a reference miner',
    env: 'list or play environments',
    'commit [options]': "commit a miner's model on chain",
  },
  'Inspect:': {
    'status [options]': 'show the state of a subnet',
    'explain [options]': 'explain why a miner won, lost or waits',
    'serve [options] <folder>': 'serve buckets and a page for them',
  },
  'Local network:': {
    'demo [options]': 'run a local subnet and verify it',
    'localnet [options]': 'serve a local chain',
  },
}

/** Loads a command by its name. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandUnknownOpts>>> = {
  setup: async () => (await import('./commands/setup.ts')).setup,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  validate: async () => (await import('./commands/validate.ts')).validate,
  'set-weights': async () => (await import('./commands/set-weights.ts')).setWeights,
  practise: async () => (await import('./commands/practise.ts')).practise,
  duel: async () => (await import('./commands/duel.ts')).duel,
  miner: async () => (await import('./commands/miner.ts')).miner,
  env: async () => (await import('./commands/env.ts')).env,
  commit: async () => (await import('./commands/commit.ts')).commit,
  status: async () => (await import('./commands/status.ts')).status,
  explain: async () => (await import('./commands/explain.ts')).explain,
  demo: async () => (await import('./commands/demo.ts')).demo,
  localnet: async () => (await import('./commands/localnet.ts')).localnet,
  serve: async () => (await import('./commands/serve.ts')).serve,
}

const EXIT_CODES = new Command('exit-codes')
  .description('The exit codes of af and af-verify:')
  .addHelpText('before', `${EXIT_CODES_TEXT}\n`)
  .action((_, command) => command.outputHelp())

const EXAMPLES = `Examples:
  $ af demo
  $ af help exit-codes\n`

/** Loads the function that reports which variables `.env` may set. */
export const loadIsOwnVariable: LoadIsOwnVariable = async () =>
  (await import('./settings/env-file.ts')).isOwnVariable

/**
 * Returns the program `af` for the words of a command line. It can run the commands that the words
 * name. It only lists the others, because loading them takes long.
 */
export async function createProgram(words: readonly string[]): Promise<CommandUnknownOpts> {
  const program = new Command('af')
    .description('Affine: a subnet whose champion everyone can compute.')
    .version(manifest.version)
    .option('--settings <file>', 'the file of settings (default: .env)')
    .addHelpText('beforeAll', formatPurpose)
    .addHelpText('before', EXAMPLES)
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading)
    for (const [usage, description] of Object.entries(commands)) {
      const [name = ''] = usage.split(' ')
      const named = words.includes(name) ? await COMMANDS[name]?.() : undefined
      const command = named ?? new Command().command(usage)
      program.addCommand(command.description(description))
    }
  }
  program.addCommand(EXIT_CODES, { hidden: true })
  return program
}
