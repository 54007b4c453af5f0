import { defineEnv, make, register, spaces } from '@affine/envs'
import { describe, expect, it } from 'vitest'
import { env } from '../src/commands/env.ts'
import { runCommand } from './commands.ts'

const CHALLENGE = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'

/** Registers a game of two replies, in which `count` is added to its start, prompt or reward. */
function registerCounting(name: string, where: 'start' | 'prompt' | 'reward'): void {
  let count = 0
  const countCall = (place: typeof where): number => (place === where ? ++count : 0)
  register(
    defineEnv<number, number, number>({
      name,
      version: '0.1.0',
      maxSteps: 2,
      replyMs: 1000,
      lowestReward: 0,
      highestReward: 1000,
      actionSpace: spaces.Discrete(10),
      observationSpace: spaces.Discrete(10),
      initial: () => 10 * countCall('start'),
      truth: (steps) => steps,
      difficulty: () => 1,
      observe: (steps) => steps,
      step: (steps) => ({
        state: steps + 1,
        reward: countCall('reward'),
        terminated: steps % 10 === 1,
      }),
      prompt: (steps) => `${steps}: ${countCall('prompt')}`,
      parse: (line) => (/^[0-9]$/.test(line) ? Number(line) : null),
      format: String,
      solve: () => '1',
      guess: () => '1',
    }),
  )
}

registerCounting('counts-starts', 'start')
registerCounting('counts-prompts', 'prompt')
registerCounting('counts-rewards', 'reward')

const run = (name: string, ...words: readonly string[]) =>
  runCommand(env, 'run', name, '--agent', 'perfect', ...words)

describe('af env run', () => {
  it.each(['tictactoe-v0', 'mult8-v0', 'hex-v0', 'pack-v0'])(
    'plays %s twice by an id and by a seed, and reports that it is deterministic',
    async (name) => {
      for (const origin of [
        ['--challenge', CHALLENGE],
        ['--seed', '7'],
      ] as const) {
        const { error, exitCode, records } = await run(name, ...origin, '--agent', '0.5', '--json')
        expect([error, exitCode]).toEqual([undefined, undefined])
        expect(records).toMatchObject([{ type: 'episode', deterministic: true }])
      }
      const { stdout } = await run(name, '--challenge', CHALLENGE)
      expect(stdout).toMatch(/\ndeterministic: a second play with the same replies is the same, /)
    },
  )

  it('shows a board as lines of equal indentation', async () => {
    const { stdout } = await run('tictactoe-v0', '--challenge', CHALLENGE)
    expect(stdout).toMatch(/^> {3}1 2 3\n> A( [.XO]){3}\n> B( [.XO]){3}\n> C( [.XO]){3}\n>$/m)
    expect(stdout).toMatch(/^< [ABC][123]$/m)
  })

  it('plays the same episode as an environment that is reset with the given seed', async () => {
    const seed = 2n ** 128n - 1n
    const game = make('hex-v0')
    game.reset({ seed })
    const { records } = await run('hex-v0', '--seed', String(seed), '--json')
    const [episode] = records as [{ seed: string; messages: { content: string }[] }]
    expect([episode.seed, episode.messages[0]?.content]).toEqual([String(seed), game.render()])
    expect(episode).not.toHaveProperty('challengeId')
  })

  it.each(['counts-starts-v0', 'counts-prompts-v0', 'counts-rewards-v0'])(
    'reports that %s is not deterministic, and exits with 1',
    async (name) => {
      for (const origin of [
        ['--challenge', CHALLENGE],
        ['--seed', '7'],
      ] as const) {
        const { exitCode, stdout } = await run(name, ...origin)
        expect(exitCode).toBe(1)
        expect(stdout).toContain('\nnot deterministic: a second play')
        const { records } = await run(name, ...origin, '--json')
        expect(records).toMatchObject([{ deterministic: false }])
      }
    },
  )
})
