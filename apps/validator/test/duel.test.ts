import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { playerReply } from '@affine/miners'
import { canonicalize } from '@affine/prng'
import { afterAll, describe, expect, it } from 'vitest'
import { closeServers, completion, serve } from '../../../packages/miners/test/servers.ts'
import type { Written } from '../../../packages/terminal/test/within.ts'
import { runAf } from '../../../test/in-process.ts'
import { AF, killAll, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'

const root = testFolder('af-duel')

afterAll(closeServers)
afterAll(killAll)

const duel = (...words: readonly string[]): Promise<Written> => runAf(['duel', ...words])
const resultIn = async (out: string) => JSON.parse(await readFile(join(out, 'result.json'), 'utf8'))
const another = (out: string): string =>
  `af: ${out} expected to be the folder of this duel: ` +
  'name another with --out, or repeat its arguments\n'
const linesIn = async (out: string): Promise<readonly string[]> =>
  (await readFile(join(out, 'samples.jsonl'), 'utf8').catch(() => '')).split('\n').slice(0, -1)

describe.concurrent('af duel', () => {
  it('that is broken off goes on where it stopped, and comes to what an undisturbed one comes to', async () => {
    const [out, undisturbed] = [join(root, 'broken'), join(root, 'undisturbed')]
    const slow = await serve((_, request, response, body) => {
      if (request.method === 'HEAD') return void response.end()
      const reply = playerReply(JSON.parse(body).messages.at(-1).content, {
        skill: 0.75,
        seed: 'slow',
      })
      setTimeout(
        () =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(completion(reply)),
        10,
      )
    })
    // Both begin with the same secret, so with the same challenges.
    const asked = {
      champion: '0.5',
      contender: slow.url,
      model: 'default',
      envs: ['tictactoe@0.1.0', 'mult8@0.1.0'],
      ratioPpm: 510_000,
    }
    for (const folder of [out, undisturbed]) {
      await mkdir(folder)
      await writeFile(
        join(folder, 'samples.jsonl'),
        `${canonicalize({ ...asked, secret: 'd1'.repeat(32) })}\n`,
      )
    }
    const two = ['--env', 'tictactoe-v0', 'mult8-v0']
    const words = ['0.5', slow.url, ...two, '--ahead', '8', '--json']
    const first = start(AF, ['duel', ...words, '--out', out])
    while ((await linesIn(out)).length < 20) await sleep(5)
    const stopped = await first.stop()
    expect([stopped.code, stopped.stderr]).toEqual([130, ''])
    expect(stopped.stdout).toBe('{"type":"resumed","samples":0}\n')
    const kept = await linesIn(out)
    expect(await readdir(out)).toEqual(['samples.jsonl'])

    const [again, whole] = await Promise.all([
      duel(...words, '--out', out),
      duel(...words, '--out', undisturbed),
    ])
    expect([again.code, whole.code]).toEqual([0, 0])
    expect(JSON.parse(again.stdout.split('\n')[0] ?? '')).toEqual({
      type: 'resumed',
      samples: kept.length - 1,
    })
    expect(await resultIn(out)).toEqual(await resultIn(undisturbed))
    expect(await resultIn(out)).toMatchObject({ outcome: 'contender' })
    expect((await linesIn(out)).slice(0, kept.length)).toEqual(kept)
    const places = (await linesIn(out))
      .slice(1)
      .map((line) => JSON.parse(line))
      .map(({ env, index }) => `${env}#${index}`)
    expect(new Set(places).size).toBe(places.length)
  })

  it('says who has it, and refuses to mix with another duel’s folder', async () => {
    const out = join(root, 'mine')
    const ended = await duel('random', 'perfect', '--out', out)
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect(ended.stdout).toContain(
      `The contender takes the throne. Samples and result are in ${out}`,
    )
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
      expect([refused.code, refused.stderr]).toEqual([2, another(out)])
    }
    expect(await linesIn(out)).toEqual(before)
    const altered = join(root, 'altered')
    await cp(out, altered, { recursive: true })
    await writeFile(join(altered, 'samples.jsonl'), `${before[0]}\nnot mine\n${before[1]}\n`)
    const refused = await duel('random', 'perfect', '--out', altered)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('samples.jsonl, line 2: ')
  })

  it('takes a ratio that can be beaten, as its help says', async () => {
    for (const ratio of ['0', '1', '0.9999999']) {
      const { code, stderr } = await duel('0.5', '0.6', '--ratio', ratio)
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`--ratio <share>' argument '${ratio}' is invalid. Expected a `),
      ])
      expect(stderr).toContain('Expected a number, more than 0 and less than 1.')
    }
    expect((await duel('--help')).stdout.replace(/\s+/g, ' ')).toContain(
      'more than 0 and less than 1',
    )
  })

  it('names no winner over a player that never replies after the first question, and ends with 3', async () => {
    for (const role of ['champion', 'contender'] as const) {
      const { url } = await serve((index, _, response) =>
        response.writeHead(index === 0 ? 200 : 404).end(completion('any')),
      )
      const out = join(root, `never-${role}`)
      const two = role === 'champion' ? [url, '0.5'] : ['0.5', url]
      const words = [...two, '--env', 'tictactoe-v0', '--out', out]
      const first = await duel(...words)
      const why = `af: the ${role} gives no usable reply: status 404, `
      expect([first.code, first.stderr]).toEqual([3, expect.stringContaining(why)])
      expect(first.stdout).not.toMatch(/throne|holds/)
      expect(await readdir(out)).toEqual(['samples.jsonl'])
    }
  })

  it('plays one environment only, once, when that is asked, and the champion holds against a worse one', async () => {
    const out = join(root, 'one')
    const ended = await duel(
      '0.9',
      'random',
      '--env',
      'mult8-v0',
      'mult8@0.1.0',
      '--out',
      out,
      '--json',
    )
    expect(ended.code).toBe(0)
    const end = JSON.parse(ended.stdout)
    expect(end).toMatchObject({ type: 'end', outcome: 'champion' })
    expect(Object.keys(end.envs)).toEqual(['mult8@0.1.0'])
    expect(end.envs['mult8@0.1.0'].verdict).toBe('hold')
  })
})
