import type { PlayerAsking } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { whole } from '@affine/terminal'
import { Command } from '@commander-js/extra-typings'

/** How one person plays, whatever it is. */
type SoloOptions = {
  readonly env?: string[]
  readonly model: string
  readonly ahead: number
  readonly giveUp: number
  readonly json?: true
}

/** A command that puts challenges to endpoints, with the options for that. */
export function soloCommand(name: string): Command<[], SoloOptions> {
  return new Command(name)
    .option('--env <id...>', 'the environments to play (default: all)')
    .option('--model <name>', "the model's name at the endpoint", 'default')
    .option(
      '--ahead <n>',
      'the number of challenges under way at once; in a duel, in each environment',
      whole(1, 1000),
      16,
    )
    .option(
      '--give-up <seconds>',
      'seconds for which an endpoint may be out of reach before it forfeits',
      whole(1, 86_400),
      120,
    )
    .option('--json', 'print JSON, one object a line')
}

/** How the players of such a command are asked. */
export function askingOf(
  { model, giveUp }: Pick<SoloOptions, 'model' | 'giveUp'>,
  signal: AbortSignal,
): PlayerAsking {
  return { ...NODE_CALLER, model, giveUpMs: giveUp * 1000, signal }
}
