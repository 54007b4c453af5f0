import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { playerReply } from '@affine/miners'
import { afterAll, describe, expect, it } from 'vitest'
import { completion, serve } from '../../../packages/miners/test/servers.ts'
import type { Written } from '../../../packages/terminal/test/within.ts'
import { runAf } from '../../../test/in-process.ts'
import { AF, killAll, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import { parseRecords } from './commands.ts'

const root = testFolder('af-duel')

afterAll(closeServers)
afterAll(killAll)

const duel = (...words: readonly string[]): Promise<Written> => runAf(['duel', ...words])
const ANOTHER = /^af: .* contains another duel: .* --out, .*\n$/
const resultIn = async (out: string) => JSON.parse(await readFile(join(out, 'result.json'), 'utf8'))
const linesIn = async (out: string): Promise<readonly string[]> =>
  (await readFile(join(out, 'samples.jsonl'), 'utf8').catch(() => '')).split('\n').slice(0, -1)

describe.concurrent('af duel', () => {
  it('continues an interrupted duel without repeating a challenge', async () => {
    const out = join(root, 'broken')
    const slow = await serve((_, __, response, body) => {
      const prompt = JSON.parse(body).messages.at(-1).content
      const reply = completion(playerReply(prompt, { skill: 0.75, seed: 'slow' }))
      setTimeout(() => response.writeHead(200).end(reply), 10)
    })
    const two = ['--env', 'tictactoe-v0', 'mult8-v0']
    const words = ['0.5', slow.url, ...two, '--ahead', '8', '--out', out, '--json']
    const first = start(AF, ['duel', ...words])
    while ((await linesIn(out)).length < 20) await sleep(5)
    const stderr = expect.stringMatching(
      /^stopped after \d+ challenges: to continue, repeat the command\n$/,
    )
    expect(await first.stop()).toEqual({ code: 130, stdout: '', stderr })
    const stored = await linesIn(out)
    expect((await readdir(out)).sort()).toEqual(['.gitignore', 'samples.jsonl'])

    const again = await duel(...words)
    expect(again.code).toBe(0)
    const [resumed, end] = parseRecords(again.stdout)
    expect(resumed).toEqual({ type: 'resumed', samples: stored.length - 1 })
    expect(await resultIn(out)).toMatchObject({ outcome: end.outcome, envs: end.envs })
    const lines = await linesIn(out)
    expect(lines.slice(0, stored.length)).toEqual(stored)
    const places = lines.slice(1).map((line) => JSON.parse(line))
    expect(new Set(places.map(({ env, index }) => `${env}#${index}`)).size).toBe(places.length)
  })

  it('refuses the folder of another duel, and an altered folder', async () => {
    const out = join(root, 'mine')
    const ended = await duel('random', 'perfect', '--out', out)
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect(ended.stdout).toContain(out)
    expect(await resultIn(out)).toMatchObject({ outcome: 'contender' })
    const before = await linesIn(out)
    expect(before.length).toBeLessThan(200)
    const others = [
      ['perfect', 'random'],
      ['random', 'perfect', '--ratio', '0.6'],
      ['random', 'perfect', '--env', 'mult8-v0'],
      ['random', 'perfect', '--model', 'other'],
    ]
    for (const other of others) {
      const refused = await duel(...other, '--out', out)
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(ANOTHER)])
    }
    expect(await linesIn(out)).toEqual(before)
    const altered = join(root, 'altered')
    await cp(out, altered, { recursive: true })
    await writeFile(join(altered, 'samples.jsonl'), `${before[0]}\nnot mine\n${before[1]}\n`)
    const refused = await duel('random', 'perfect', '--out', altered)
    expect(refused.code).toBe(4)
    expect(refused.stderr).toContain('samples.jsonl, line 2: ')
  })

  it('exits with 4 and no winner if a player stops replying after the first prompt', async () => {
    for (const role of ['champion', 'contender'] as const) {
      const { url } = await serve((index, _, response) =>
        response.writeHead(index === 0 ? 200 : 404).end(completion('any')),
      )
      const out = join(root, `never-${role}`)
      const two = role === 'champion' ? [url, '0.5'] : ['0.5', url]
      const words = [...two, '--env', 'tictactoe-v0', '--out', out]
      const first = await duel(...words)
      expect(first.code).toBe(4)
      for (const part of [`the ${role} `, 'status 404']) expect(first.stderr).toContain(part)
      expect(first.stdout).not.toMatch(/throne|holds/)
      expect((await readdir(out)).sort()).toEqual(['.gitignore', 'samples.jsonl'])
    }
  })
})
