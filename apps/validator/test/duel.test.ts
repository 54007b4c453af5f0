import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, account, encodeCommitment, LocalChain } from '@affine/chain'
import { playerReply } from '@affine/miners'
import { canonicalize } from '@affine/prng'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
const another = (out: string, difference: string): string =>
  `af: ${out} expected to be the folder of this duel${difference}: ` +
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
      [['perfect', 'random'], ', got one of another champion, contender'],
      [['random', 'perfect', '--ratio', '0.6'], ', got one of another --ratio'],
      [['random', 'perfect', '--env', 'mult8-v0'], ', got one of another --env'],
      [['0', '1', '--ratio', '0.6', '--env', 'mult8-v0'], ''],
    ] as const
    for (const [other, difference] of others) {
      const refused = await duel(...other, '--out', out)
      expect([refused.code, refused.stderr]).toEqual([2, another(out, difference)])
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

/** An endpoint of a player, and the models that it was asked for. */
async function endpoint(skill: number) {
  const models = new Set<string>()
  const { url } = await serve((_, request, response, body) => {
    if (request.method === 'HEAD') return void response.end()
    const { model, messages } = JSON.parse(body)
    models.add(model)
    const reply = playerReply(messages.at(-1).content, { skill, seed: String(skill) })
    response.writeHead(200, { 'content-type': 'application/json' }).end(completion(reply))
  })
  return { url, models }
}

describe.concurrent('af duel of registered miners', () => {
  const [weak, strong, ...others] = Array.from({ length: 7 }, (_, i) =>
    account(new Uint8Array(32).fill(i + 1)),
  )
  const neurons = [weak, strong, ...others].map((one) => ({ hotkey: one?.hotkey ?? '', stake: 0n }))
  let chain: LocalChain
  let time = 0

  const minerOf = (hotkey: string, chute: string, revision = 'main') =>
    ({ hotkey, model: `me/${hotkey}`, revision, chute }) as const
  async function committed(by: Account | undefined, chute: string, revision?: string) {
    const miner = minerOf(by?.hotkey ?? '', chute, revision)
    const sent = chain.commit(by as Account, encodeCommitment({ kind: 'miner', ...miner }))
    await chain.produce(++time)
    await sent
    return miner
  }
  const exported = async (): Promise<string> => {
    const file = join(root, `chain-${time}.json`)
    await writeFile(file, chain.export())
    return file
  }

  beforeAll(() => {
    chain = LocalChain.create({ netuid: 7, random: () => new Uint8Array(32).fill(1), neurons })
  })

  it('asks each for its own model, and is taken up again only while they are the same', async () => {
    const [one, other] = [await endpoint(0.2), await endpoint(0.9)]
    const miners = [await committed(weak, one.url), await committed(strong, other.url)]
    const out = join(root, 'registered')
    const words = ['0', '1', '--out', out, '--json', '--network']
    const ended = await duel(...words, await exported())
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect([[...one.models], [...other.models]]).toEqual(miners.map(({ model }) => [model]))
    const { duel: kept, outcome } = await resultIn(out)
    expect(outcome).toBe('contender')
    expect([kept.champion, kept.contender]).toEqual(miners)
    const [heading, sample] = (await linesIn(out)).map((line) => JSON.parse(line))
    expect(heading).toEqual(kept)
    expect([sample.champion.miner, sample.contender.miner]).toEqual(
      miners.map(({ hotkey }) => hotkey),
    )

    const again = await duel(...words, await exported())
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout.split('\n')[0] ?? '')).toMatchObject({ type: 'resumed' })
    await committed(strong, other.url, 'another')
    const changed = await duel(...words, await exported())
    expect([changed.code, changed.stderr]).toEqual([
      2,
      another(out, ', got one of another contender'),
    ])
    expect((await resultIn(out)).duel).toEqual(kept)
  })

  it('asks nobody who is no miner, or whose chute is no URL on loopback, be it the name of a built-in player', async () => {
    const elsewhere = 'http://169.254.169.254/latest?x='
    const chutes = ['0.9', 'perfect', 'file:///etc/passwd', 'http://\u001b[2J x', elsewhere]
    for (const [i, chute] of chutes.entries()) await committed(others[i], chute)
    const network = await exported()
    const out = join(root, 'unasked')
    const of = (uid: string): Promise<Written> => duel(uid, '0', '--network', network, '--out', out)
    const ends = await Promise.all(['2', '3', '4', '5', '6'].map(of))
    for (const { code, stderr, stdout } of ends) {
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(
        /^af: uid [2-6] has the chute ".*", and only URLs on this machine are asked\n$/,
      )
      expect(stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
    }
    const missing = await of('7')
    expect([missing.code, missing.stderr]).toEqual([
      1,
      'af: uid 7 (not registered) is not a miner: see af status\n',
    ])
    const words = ['0.5', 'perfect', 'http://127.0.0.1:1/v1', '1e1', '', '0x1']
    for (const [i, { code, stderr }] of (await Promise.all(words.map(of))).entries()) {
      expect(code).toBe(2)
      expect(stderr).toBe(`af: with "--network" expected a uid, got ${JSON.stringify(words[i])}\n`)
    }
    expect(await readdir(out).catch(() => 'none')).toBe('none')
  })
})

describe.concurrent('af duel of miners that answer at a URL', () => {
  /** A chain on which two miners have this chute, as a file of this name. */
  async function chainAt(file: string, chute: string): Promise<void> {
    const miners = [1, 2].map((byte) => account(new Uint8Array(32).fill(byte)))
    const neurons = miners.map(({ hotkey }) => ({ hotkey, stake: 0n }))
    const chain = LocalChain.create({ netuid: 7, random: () => new Uint8Array(32), neurons })
    const sent = miners.map((miner) => {
      const { hotkey } = miner
      const said = { kind: 'miner', model: hotkey, revision: 'main', chute } as const
      return chain.commit(miner, encodeCommitment(said))
    })
    await chain.produce(1)
    await Promise.all(sent)
    await writeFile(join(root, file), chain.export())
  }
  const duelOn = (file: string): Promise<Written> =>
    runAf(['duel', '0', '1', '--out', `${file}.d`, '--network', file], { cwd: root })

  it('follows no redirect', async () => {
    const other = await serve((_, __, response) => void response.end())
    const { url, seen } = await serve((_, __, response) => {
      response.writeHead(302, { location: other.url }).end()
    })
    await chainAt('redirects.json', url)
    const { code, stderr } = await duelOn('redirects.json')
    expect([code, seen.length, other.seen]).toEqual([3, 1, []])
    expect(stderr).toContain(`status 302 to ${JSON.stringify(other.url)}: no redirect is followed`)
  })

  it('asks nobody on a network with a platform', async () => {
    const { url, seen } = await serve((_, __, response) => void response.end())
    // By its name the file is a log of such a network.
    await chainAt('test,chain.json', url)
    const { code, stderr } = await duelOn('test,chain.json')
    expect([code, seen]).toEqual([2, []])
    expect(stderr).toBe('af: "--network" expected a local network, got "test,chain.json"\n')
  })
})
