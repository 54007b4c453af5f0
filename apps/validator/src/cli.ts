#!/usr/bin/env node
import { Command, CommanderError } from '@commander-js/extra-typings'
import { demo } from './commands/demo.ts'
import { duel } from './commands/duel.ts'
import { env } from './commands/env.ts'
import { localnet } from './commands/localnet.ts'
import { miner } from './commands/miner.ts'
import { status } from './commands/status.ts'
import { validate } from './commands/validate.ts'
import { Interrupted } from './output.ts'

const program = new Command('af')
  .description('Affine: a subnet whose winner anyone can compute.')
  .version('0.1.0')
  .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.')
for (const command of [demo, duel, env, validate, miner, localnet, status]) program.addCommand(command)
for (const command of [program, ...program.commands, ...env.commands])
  command.exitOverride().showHelpAfterError('(see --help)')

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCode(error)
}

function exitCode(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof Interrupted) return 130
  process.stderr.write(`af: ${error instanceof Error ? error.message : String(error)}\n`)
  return error instanceof RangeError || error instanceof TypeError ? 2 : 1
}
