import { formatPurpose } from '@affine/terminal/run'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import manifest from '../package.json' with { type: 'json' }

/** Loads the module of a command, which exports only the command. */
type Loader = () => Promise<Readonly<Record<string, CommandUnknownOpts>>>

/** The groups of commands in help, and for each command its description and module. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, readonly [string, Loader]>>>> = {
  'Validate:': {
    setup: ['ask for settings and write .env', () => import('./commands/setup.ts')],
    doctor: ["check a validator's or a miner's setup", () => import('./commands/doctor.ts')],
    validate: ['run a validator', () => import('./commands/validate.ts')],
  },
  'Mine:': {
    practise: ['score an endpoint on challenges', () => import('./commands/practise.ts')],
    duel: ['test which of two players is better', () => import('./commands/duel.ts')],
    miner: ['serve a reference miner', () => import('./commands/miner.ts')],
    env: ['list or play environments', () => import('./commands/env.ts')],
    commit: ["commit a miner's model on chain", () => import('./commands/commit.ts')],
  },
  'Inspect:': {
    status: ['show the state of a subnet', () => import('./commands/status.ts')],
    explain: ['explain why a miner won, lost or waits', () => import('./commands/explain.ts')],
    serve: ['serve buckets and a page for them', () => import('./commands/serve.ts')],
  },
  'Local network:': {
    demo: ['run a local subnet and verify it', () => import('./commands/demo.ts')],
    localnet: ['serve a local chain', () => import('./commands/localnet.ts')],
  },
}

const EXAMPLES = `Examples:
  $ af demo
  $ af help validate\n`

/**
 * Returns the program `af`. Loads only the commands that `words` contains, because loading all
 * takes long. The other commands appear only in help.
 */
export async function createProgram(words: readonly string[]): Promise<CommandUnknownOpts> {
  const program = new Command('af')
    .description('Affine: a subnet whose champion everyone can compute.')
    .version(manifest.version)
    .addHelpText('beforeAll', formatPurpose)
    .addHelpText('before', EXAMPLES)
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading)
    for (const [name, [description, load]] of Object.entries(commands)) {
      const [named] = words.includes(name) ? Object.values(await load()) : []
      program.addCommand((named ?? new Command(name)).description(description))
    }
  }
  return program
}
