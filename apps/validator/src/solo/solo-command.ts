import type { PlayerAsking } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { shareOption, whole } from '@affine/terminal'
import { Command, Option } from '@commander-js/extra-typings'

/** An endpoint that cannot be reached for so long forfeits. */
const GIVE_UP_MS = 120_000

/** The options of a command that plays without a subnet. */
type SoloOptions = {
  readonly env?: string[]
  readonly model: string
  readonly ahead: number
  readonly json?: true
}

/** A command that plays challenges with endpoints, with its options. */
export function soloCommand(name: string): Command<[], SoloOptions> {
  return new Command(name)
    .option('--json', 'print JSON, one object a line')
    .option('--env <id...>', 'the environments to play (default: all)')
    .option('--model <name>', 'the model that an endpoint is asked for', 'default')
    .option(
      '--ahead <n>',
      'the number of challenges at once; in a duel, for each environment',
      whole(1, 1000),
      16,
    )
}

/** How well the scripted opponent plays. */
export function strengthOption(): Option<'--strength <share>', undefined, undefined, number> {
  const help =
    'in games: the share of its moves, 0 to 1, that the scripted opponent chooses well; ' +
    'it draws the others at random'
  return new Option('--strength <share>', help).argParser(shareOption)
}

/** How such a command asks its players. */
export function askingOf({ model }: Pick<SoloOptions, 'model'>, signal: AbortSignal): PlayerAsking {
  return { ...NODE_CALLER, model, giveUpMs: GIVE_UP_MS, signal }
}
