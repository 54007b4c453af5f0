import { readFile } from 'node:fs/promises'
import { LocalChain } from '@affine/chain'
import { defineEnv, make, register, spaces } from '@affine/envs'
import { describe, expect, it } from 'vitest'
import { runAf, runVerifier } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { formatFilesHint } from '../src/commands/demo/story.ts'
import { env } from '../src/commands/env.ts'
import { runCommand, writeIn } from './commands.ts'

const CHALLENGE = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'

const PLACES = ['start', 'prompt', 'reward'] as const

/** Registers an environment whose start, prompt or reward contains the number of calls, so it varies. */
function registerCounting(where: (typeof PLACES)[number]): void {
  let count = 0
  const countCall = (place: typeof where): number => (place === where ? ++count : 0)
  register(
    defineEnv<number, number, number>({
      name: `counts-${where}`,
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

PLACES.forEach(registerCounting)

const COUNTING = PLACES.map((where) => `counts-${where}-v0`)
const NAMES = ['tictactoe-v0', 'mult8-v0', 'hex-v0', 'pack-v0']
/** The options that name an episode. */
const ORIGINS = [
  ['--challenge', CHALLENGE],
  ['--seed', '7'],
]
const run = (name: string, ...words: readonly string[]) =>
  runCommand(env, 'run', name, '--agent', 'perfect', ...words)

describe('af env run', () => {
  it.each(NAMES)('plays %s by an id and by a seed, and finds it deterministic', async (name) => {
    for (const origin of ORIGINS) {
      const { error, exitCode, records } = await run(name, ...origin, '--agent', '0.5', '--json')
      expect([error, exitCode]).toEqual([undefined, undefined])
      expect(records).toMatchObject([{ type: 'episode', deterministic: true }])
    }
    const { stdout } = await run(name, '--challenge', CHALLENGE)
    expect(stdout).toMatch(/\ndeterministic: a second play with the same replies is the same, /)
  })

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

  it.each(COUNTING)('reports that %s is not deterministic, and exits with 1', async (name) => {
    for (const origin of ORIGINS) {
      const { exitCode, stdout } = await run(name, ...origin)
      expect(exitCode).toBe(1)
      expect(stdout).toContain('\nnot deterministic: a second play')
      const { records } = await run(name, ...origin, '--json')
      expect(records).toMatchObject([{ deterministic: false }])
    }
  })
})

const root = testFolder('env-module')
const page = new URL('../../../docs/adding-an-environment.md', import.meta.url)
const [, NIM = ''] = /^```js\n(.*?)^```$/ms.exec(await readFile(page, 'utf8')) ?? []
const QUOTAS = { quotaFirst: 8, quotaMost: 64 }

it('refuses a module that cannot be loaded, with its file and the reason', async () => {
  await writeIn(root, 'export default () => { throw new Error("boom\\u001b[2J") }', 'throws.mjs')
  for (const [files, reason] of [
    ['missing.mjs', `expected a module's file, got "missing.mjs"`],
    [',', `expected a module's file, got ""`],
    [root, `expected a module's file, got "${root}"`],
    ['throws.mjs', 'cannot load throws.mjs: boom'],
  ] as const) {
    const { code, stderr } = await runAf(['env', 'list', '--env-module', files], { cwd: root })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`"env-module" ${reason}`)])
    expect(stderr).not.toContain('\u001b')
  }
})

it('refuses a chain whose environments are missing, and names them', async () => {
  const envs = { 'go@0.1.0': { specHash: 'ab'.repeat(32), players: 2, ...QUOTAS } }
  const chain = LocalChain.create({ netuid: 120, random: () => new Uint8Array(32), envs })
  await writeIn(root, chain.export(), 'go.json')
  const words = ['buckets', '--network', 'go.json']
  const { code, stderr } = await runVerifier(words, { cwd: root })
  expect([code, stderr]).toEqual([2, expect.stringContaining('plays go@0.1.0 with specHash abab')])
})

it('names modules in the hints of af demo only if some are loaded', () => {
  expect(formatFilesHint('out', './nim.mjs')).toContain(' --env-module ./nim.mjs ')
  expect(formatFilesHint('out')).not.toContain('--env-module')
})

it('gives a new local chain only the environments of loaded modules', async () => {
  await writeIn(root, NIM, 'nim.mjs')
  await writeIn(root, NIM.replace("'0.1.0'", "'0.2.0'"), 'nim-2.mjs')
  const env = { AFFINE_ENV_MODULE: 'nothing.mjs' }
  const modules = ['--env-module', './nim.mjs,./nim-2.mjs']
  const { code, stdout } = await runAf(['env', 'list', ...modules], { cwd: root, env })
  expect(code).toBe(0)
  const [, specHash] = /^nim@0\.1\.0 .* specHash ([0-9a-f]{64})$/m.exec(stdout) ?? []
  const { createLocalChain } = await import('@affine/settlement/node')
  const chain = createLocalChain([], [], { random: () => new Uint8Array(32) })
  expect(LocalChain.import(chain.export()).envs).toEqual({
    'nim@0.1.0': { specHash, players: 2, ...QUOTAS },
    'nim@0.2.0': { specHash: expect.any(String), players: 2, ...QUOTAS },
  })
})
