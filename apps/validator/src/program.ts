import { EXIT_CODES_TEXT } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import manifest from '../package.json' with { type: 'json' }

type Group = Readonly<
  Record<string, readonly [description: string, load: () => Promise<CommandUnknownOpts>]>
>

/** The groups of commands in help: each command by its name and what it takes. */
const GROUPS: Readonly<Record<string, Group>> = {
  'Validate:': {
    'setup [options]': [
      "ask for a validator's settings, try them as `af doctor` does, and write .env",
      async () => (await import('./commands/setup.ts')).setup,
    ],
    'doctor [options]': [
      'check what a validator or a miner needs: ✘ must be fixed, and the exit code is 1; ! ' +
        'is a warning',
      async () => (await import('./commands/doctor.ts')).doctor,
    ],
    'validate [options]': [
      'run a validator: ask miners, publish, check what others publish, set weights',
      async () => (await import('./commands/validate.ts')).validate,
    ],
    'set-weights [options]': [
      'recompute the champion, and set all weight to it, or else to the owner, once',
      async () => (await import('./commands/set-weights.ts')).setWeights,
    ],
  },
  'Mine:': {
    'practise [options] <player>': [
      'ask an endpoint as validators do, and show what it earns, what it forfeits, and what ' +
        'would have been better',
      async () => (await import('./commands/practise.ts')).practise,
    ],
    'duel [options] <champion> <contender>': [
      'give two players the same challenges, and stop when it is certain which one is better',
      async () => (await import('./commands/duel.ts')).duel,
    ],
    'miner [options]': [
      'serve a reference miner: an OpenAI-compatible endpoint of a chosen skill',
      async () => (await import('./commands/miner.ts')).miner,
    ],
    env: ['list environments, and play one', async () => (await import('./commands/env.ts')).env],
    'commit [options]': [
      "commit a miner's model on chain; from then on it waits for its duel",
      async () => (await import('./commands/commit.ts')).commit,
    ],
  },
  'Look:': {
    'status [options]': [
      'show the state of a subnet: deadlines, duel, lanes, trust, weights, queue',
      async () => (await import('./commands/status.ts')).status,
    ],
    'explain [options]': [
      'explain why a miner won, lost or waits, from public evidence only',
      async () => (await import('./commands/explain.ts')).explain,
    ],
  },
  'Local network:': {
    'demo [options]': [
      'run a local subnet until its throne is settled, then verify it from its public data',
      async () => (await import('./commands/demo.ts')).demo,
    ],
    'localnet [options]': [
      'serve a local chain on loopback, with registered keys for validators and miners',
      async () => (await import('./commands/localnet.ts')).localnet,
    ],
  },
  'More:': {
    'serve [options] <folder>': [
      'serve a bucket, or a folder of buckets, over HTTP, with a page at / that shows them',
      async () => (await import('./commands/serve.ts')).serve,
    ],
  },
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
    for (const [usage, [description, load]] of Object.entries(commands)) {
      const [name = ''] = usage.split(' ')
      const isNamed = words.includes(name)
      const command = isNamed ? await load() : new Command().command(usage)
      program.addCommand(command.description(description))
    }
  }
  return program
}
