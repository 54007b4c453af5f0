import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { commit } from './commands/commit.ts'
import { demo } from './commands/demo.ts'
import { doctor } from './commands/doctor.ts'
import { duel } from './commands/duel.ts'
import { env } from './commands/env.ts'
import { explain } from './commands/explain.ts'
import { localnet } from './commands/localnet.ts'
import { miner } from './commands/miner.ts'
import { practise } from './commands/practise.ts'
import { serve } from './commands/serve.ts'
import { setWeights } from './commands/set-weights.ts'
import { setup } from './commands/setup.ts'
import { status } from './commands/status.ts'
import { validate } from './commands/validate.ts'

/** The groups of commands in help. */
const GROUPS = {
  'Validate:': [setup, doctor, validate, setWeights],
  'Mine:': [practise, duel, miner, env, commit],
  'Look:': [status, explain],
  'Local network:': [demo, localnet],
}

/** The program `af`. */
export const program: CommandUnknownOpts = new Command('af')
  .description('Affine: a subnet whose winner anyone can compute.')
  .version('0.1.0')
  .option('--settings <file>', 'read settings from this file instead of .env; for any command')
  .addHelpText(
    'after',
    '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 an endpoint did not reply, 130 interrupted.',
  )
for (const [heading, commands] of Object.entries(GROUPS)) {
  program.commandsGroup(heading)
  for (const command of commands) program.addCommand(command)
}
program.commandsGroup('More:').addCommand(serve)
