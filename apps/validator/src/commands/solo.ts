import { make } from '@affine/envs'
import type { Opponent, PlayerAsking } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { type Output, printable, shareOption, whole } from '@affine/terminal'
import { Command, Option } from '@commander-js/extra-typings'

/** An endpoint that cannot be reached for so long forfeits. */
const GIVE_UP_MS = 120_000

export const PLAYER =
  "an OpenAI-compatible endpoint's URL; or perfect, random, or a skill such as 0.7"

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

/** @throws RangeError when none of these environments has an opponent that `--strength` changes. */
export function expectGame(envs: readonly string[]): void {
  if (envs.some((env) => make(env).spec.game !== undefined)) return
  throw new RangeError(
    `"--strength" expected a game against another miner, as hex-v0, got ${envs}: ` +
      'it has no opponent, or one whose strength is part of it',
  )
}

/** How such a command asks its players. */
export function askingOf({ model }: Pick<SoloOptions, 'model'>, signal: AbortSignal): PlayerAsking {
  return { ...NODE_CALLER, model, giveUpMs: GIVE_UP_MS, signal }
}

/** Where there is no terminal, progress is told so often at most. */
const QUIET_MS = 30_000

/**
 * What shows progress: on a line of a terminal, else on standard error, every 30 seconds at most.
 * When `signal` aborts, what `stopped` returns takes its place in a terminal, and stays: how far it
 * got, and how it goes on.
 */
export function progress(
  screen: Output,
  signal: AbortSignal,
  stopped: () => string,
): (text: string) => void {
  signal.addEventListener('abort', () => screen.status(`${stopped()}\n`), { once: true })
  let toldAt = Date.now()
  return (text) => {
    if (signal.aborted) return
    screen.status(text)
    if (process.stdout.isTTY || Date.now() - toldAt < QUIET_MS) return
    toldAt = Date.now()
    process.stderr.write(`${text}\n`)
  }
}

/** Prints how many requests to a player had no usable reply, and what came instead. */
export function sayFailures(
  player: string,
  { failures }: Opponent,
  { screen, ahead }: { readonly screen: Output; readonly ahead: number },
): void {
  if (failures.size === 0) return
  const counted = [...failures.values()]
  const count = counted.reduce((sum, each) => sum + each.count, 0)
  const requests = count === 1 ? 'request' : 'requests'
  const lines = counted.map((each) => `  ${each.count} × ${printable(each.text, 300)}`)
  const isLate = counted.some(({ reason }) => reason === 'late')
  const advice = '  With --ahead 1 it is asked one thing at a time: is it in time then?'
  if (isLate && ahead > 1) lines.push(advice)
  const text = [`${count} ${requests} to ${player} had no usable reply:`, ...lines].join('\n')
  screen.line(text, { type: 'failures', player, failures: counted })
}
