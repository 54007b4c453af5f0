#!/usr/bin/env node
import { run } from '@affine/verifier'
import { Command } from '@commander-js/extra-typings'
import { demo } from './commands/demo.ts'
import { localnet, miner } from './commands/localnet.ts'
import { duel, env } from './commands/solo.ts'
import { status } from './commands/status.ts'
import { validate } from './commands/validate.ts'

const program = new Command('af')
  .description('Affine: a subnet whose winner anyone can compute.')
  .version('0.1.0')
  .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.')
for (const command of [demo, duel, env, validate, miner, localnet, status]) program.addCommand(command)
for (const command of [program, ...program.commands, ...env.commands]) {
  command.exitOverride().showHelpAfterError('(see --help)')
}
await run(program)
