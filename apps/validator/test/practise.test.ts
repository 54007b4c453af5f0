import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { make } from '@affine/envs'
import { afterAll, expect, it } from 'vitest'
import { completion, serve } from '../../../packages/miners/test/servers.ts'
import type { Written } from '../../../packages/terminal/test/within.ts'
import { runAf } from '../../../test/in-process.ts'
import { AF, killAll, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import { findUnprintable, parseRecords, servePlayer, writeIn } from './commands.ts'

const root = testFolder('af-practise')

afterAll(closeServers)
afterAll(killAll)

const REFUSED = { code: 2, stderr: expect.stringContaining('"--resume"') }
const TWO = ['--env', 'tictactoe-v0', 'mult8-v0']
const practise = (...words: readonly string[]): Promise<Written> => runAf(['practise', ...words])
const records = ({ stdout }: Written) => parseRecords(stdout)
const linesIn = async (file: string): Promise<readonly string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1)

/**
 * Serves an endpoint that responds to each prompt with the result of `reply`, or with 404 if the
 * result is null, except to the first request, which only checks the endpoint.
 */
const endpoint = (reply: (prompt: string, index: number) => string | null) =>
  serve((index, _, response, body) => {
    const prompt = JSON.parse(body).messages.at(-1).content
    const content = index === 0 ? 'any' : reply(prompt, index - 1)
    const head = { 'content-type': 'application/json' }
    response.writeHead(content === null ? 404 : 200, head).end(completion(content))
  })

it('af practise counts rewards and forfeits, and shows lost challenges and the best answers', async () => {
  const wrong = [null, 'x'.repeat(5000), '\u001b[2J1000000000000000', 'about 12']
  const { solve } = make('mult8@0.1.0').spec
  const { url } = await endpoint((prompt, i) => (i < 4 ? (wrong[i] ?? null) : solve(prompt)))
  const words = [url, '--env', 'mult8-v0', '--challenges', '10', '--ahead', '1']
  const ended = await practise(...words)
  expect([ended.code, ended.stderr, findUnprintable(ended.stdout)]).toEqual([0, '', []])
  const [summary = ''] = ended.stdout.split(/^mult8@0\.1\.0, challenge /m)
  const shown = summary.replaceAll(url, '<url>').replace(/(?<= replies: ).*(?=;)/, '<times>')
  await expect(shown).toMatchFileSnapshot('snapshots/practise.txt')
  const lost = ended.stdout.match(/^mult8@0\.1\.0, challenge \w+: reward 0, best 1$/gm)
  expect(lost).toHaveLength(3)
  expect(ended.stdout.match(/^ {2}best was \d+$/gm)).toHaveLength(2)
  expect(ended.stdout).toMatch(/^ {2}not solved: the product is \d+, not 1000000000000000$/m)
})

it('af practise plays games against a scripted opponent and counts wins', async () => {
  const words = ['--env', 'hex-v0', '--challenges', '10', '--at-least', '0.99']
  const { code, stdout } = await practise('perfect', ...words)
  expect(code).toBe(1) // a perfect player does not win 99 % against another
  expect(stdout).toMatch(
    /^hex@0\.1\.0: \d of 10 won against the scripted opponent at strength 1, /m,
  )
  expect(stdout).toMatch(/^hex@0\.1\.0, challenge \w+: reward -1, best 1$/m)
  expect(stdout).toMatch(/^ {2}lost: [XO] joined /m)
})

it('af practise plays games against a weaker opponent, and rejects a file with another strength', async () => {
  const words = ['--env', 'hex-v0', '--challenges', '10', '--strength']
  const weak = await practise('perfect', ...words, '0', '--at-least', '1')
  expect([weak.code, weak.stderr]).toEqual([0, ''])
  expect(weak.stdout).toMatch(/^hex@0\.1\.0: 10 of 10 won .* opponent at strength 0, /)
  const file = join(root, 'weak.jsonl')
  const half = await practise('random', ...words, '0.5', '--resume', file)
  // A lost challenge is replayed, so that its ending describes more than the reward.
  expect(half.stdout).toMatch(
    /^hex@0\.1\.0, challenge \w+: reward -1, best 1\n {2}(lost|forfeited): /m,
  )
  expect(half.stdout).not.toMatch(/^ {2}reward -1$/m)
  const [head = '', ...played] = await linesIn(file)
  expect([JSON.parse(head).practice.strength, played.length]).toEqual(['0.5', 10])
  const again = await practise('random', ...words, '0.5', '--resume', file, '--json')
  expect(records(again)[1]).toMatchObject({ type: 'result', strength: 0.5, challenges: 10 })
  for (const other of ['0.6', '1'])
    expect(await practise('random', ...words, other, '--resume', file)).toMatchObject(REFUSED)
})

it('af practise repeats no stored challenge after a kill, and rejects other arguments', async () => {
  const file = join(root, 'practice.jsonl')
  const { url } = await servePlayer({ skill: 0.5, seed: 'slow' }, 10)
  const words = [url, ...TWO, '--challenges', '40', '--ahead', '4', '--resume', file, '--json']
  const first = start(AF, ['practise', ...words])
  while ((await linesIn(file)).length < 20) await sleep(5)
  const stopped = await first.stop('SIGKILL')
  expect([stopped.code, stopped.stdout]).toEqual([null, ''])
  const stored = await linesIn(file)
  const again = await practise(...words)
  expect([again.code, again.stderr]).toEqual([0, ''])
  const [resumed, ...results] = records(again)
  expect(resumed).toEqual({ type: 'resumed', played: stored.length - 1 })
  const counts = results.filter(({ type }) => type === 'result')
  expect(counts.map(({ challenges }) => challenges)).toEqual([40, 40])
  const lines = await linesIn(file)
  expect(lines.slice(0, stored.length)).toEqual(stored)
  const ids = lines.slice(1).map((line) => JSON.parse(line).challengeId)
  expect([ids.length, new Set(ids).size]).toEqual([80, 80])
  // A finished practice is only counted again.
  expect(records(await practise(...words)).slice(1)).toEqual(results)
  const other = await practise(url, ...TWO, '--challenges', '41', '--resume', file)
  expect(other).toMatchObject(REFUSED)
  const altered = await writeIn(root, '"mine"\n')
  expect((await practise(url, '--resume', altered)).code).toBe(2)
})

it('af practise rejects a file whose folder does not exist', async () => {
  const file = join(root, 'nowhere', 'p.jsonl')
  const { code, stderr } = await practise('random', '--resume', file)
  expect([code, stderr]).toEqual([2, `af: ${file} does not exist: check the spelling\n`])
})
