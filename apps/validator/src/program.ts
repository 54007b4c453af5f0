import { EXIT_CODES_TEXT } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import manifest from '../package.json' with { type: 'json' }

/** The groups of commands in help, and for each command its usage and description. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Validate:': {
    'setup [options]':
      "ask for a validator's settings, try them as `af doctor` does, and write .env",
    'doctor [options]':
      'check what a validator or a miner needs: ✘ must be fixed, and the exit code is 1; ! ' +
      'is a warning',
    'validate [options]':
      'run a validator: ask miners, publish, check what others publish, set weights',
    'set-weights [options]':
      'recompute the champion, and set all weight to it, or else to the owner, once',
  },
  'Mine:': {
    'practise [options] <player>':
      'ask an endpoint as validators do, and show what it earns, what it forfeits, and what ' +
      'would have been better',
    'duel [options] <champion> <contender>':
      'give two players the same challenges, and stop when it is certain which one is better',
    'miner [options]': 'serve a reference miner: an OpenAI-compatible endpoint of a chosen skill',
    env: 'list environments, and play one',
    'commit [options]': "commit a miner's model on chain; from then on it waits for its duel",
  },
  'Look:': {
    'status [options]': 'show the state of a subnet: deadlines, duel, lanes, trust, weights, queue',
    'explain [options]': 'explain why a miner won, lost or waits, from public evidence only',
  },
  'Local network:': {
    'demo [options]':
      'run a local subnet until its throne is settled, then verify it from its public data',
    'localnet [options]':
      'serve a local chain on loopback, with registered keys for validators and miners',
  },
  'More:': {
    'serve [options] <folder>':
      'serve a bucket, or a folder of buckets, over HTTP, with a page at / that shows them',
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

const AFTER = `
Begin with \`af demo\`, which needs nothing.
Exit codes:
${EXIT_CODES_TEXT}`

/**
 * The program `af` for the words of a command line. It can run the commands that the words name;
 * of the others, which would take long to load, it has what the list of commands shows.
 */
export async function programFor(words: readonly string[]): Promise<CommandUnknownOpts> {
  const program = new Command('af')
    .description('Affine: a subnet whose winner anyone can compute.')
    .version(manifest.version)
    .option('--settings <file>', 'read settings from this file instead of .env; for any command')
    .addHelpText('after', AFTER)
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading)
    for (const [usage, description] of Object.entries(commands)) {
      const [name = ''] = usage.split(' ')
      const named = words.includes(name) ? await COMMANDS[name]?.() : undefined
      const command = named ?? new Command().command(usage)
      program.addCommand(command.description(description))
    }
  }
  return program
}
