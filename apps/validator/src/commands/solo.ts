import { make } from '@affine/envs'
import type { Opponent } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import {
  createCommand,
  ENV_MODULES,
  type Output,
  printable,
  shareOption,
  whole,
} from '@affine/terminal'
import { Option } from '@commander-js/extra-typings'

/** Milliseconds beyond a reply's time limit after which an unreachable player forfeits. */
const GIVE_UP_MS = 120_000

export const PLAYER =
  "an OpenAI-compatible endpoint's URL; or perfect, random, or a skill such as 0.7"

/** Creates a command that plays challenges that count in no lane. */
export function createSoloCommand(name: string, examples: string) {
  return createCommand(name, examples)
    .addOption(ENV_MODULES)
    .option('--env <id...>', 'the environments to play (default: all)')
    .option('--model <name>', 'the model name in requests to an endpoint', 'default')
    .option(
      '--ahead <n>',
      'maximum concurrent challenges; in a duel, for each environment',
      whole(1, 1000),
      16,
    )
}

export function createStrengthOption() {
  const help =
    'in games: the share, 0 to 1, of moves that the scripted opponent chooses well; ' +
    'the other moves are random'
  return new Option('--strength <share>', help).argParser(shareOption)
}

/** @throws RangeError if none of these environments has an opponent that `--strength` changes. */
export function expectGame(envs: readonly string[]): void {
  if (envs.some((env) => make(env).spec.game !== undefined)) return
  throw new RangeError(
    `"--strength" expected an environment of two players, such as hex-v0, got ${envs}: ` +
      'it has no opponent, or one of fixed strength',
  )
}

export function createAsking({ model }: { readonly model: string }, signal: AbortSignal) {
  return { ...NODE_CALLER, model, timeoutMs: GIVE_UP_MS, signal }
}

/**
 * Returns a function that shows progress as `Output.wait` does. When `signal` aborts, the text of
 * `stopped` replaces the progress.
 */
export function createProgress(screen: Output, signal: AbortSignal, stopped: () => string) {
  signal.addEventListener('abort', () => screen.status(`${stopped()}\n`), { once: true })
  return (text: string) => {
    if (!signal.aborted) screen.wait(text)
  }
}

export function printFailures(player: string, { failures }: Opponent, screen: Output): void {
  if (failures.size === 0) return
  const counted = [...failures.values()]
  const count = counted.reduce((sum, each) => sum + each.count, 0)
  const requests = count === 1 ? 'request' : 'requests'
  const lines = counted.map((each) => `  ${each.count} × ${printable(each.text, 300)}`)
  const text = [`${count} ${requests} to ${player} had no usable reply:`, ...lines].join('\n')
  screen.line(text, { type: 'failures', player, failures: counted })
}
