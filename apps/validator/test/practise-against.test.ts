import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { listEpisodes, type Sample } from '@affine/blocks'
import { make, play, type Transcript } from '@affine/envs'
import { playerReply } from '@affine/miners'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { runAf } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import { cutBlocks, parseRecords, servePlayer, writeIn } from './commands.ts'
import { hotkeyOf, PARTICIPANTS, playSubnetOnce, recomputeIn } from './played-subnet.ts'

const PLAYER = { skill: 0.9, seed: 'mine' }

const root = testFolder('against')
const subnet = await playSubnetOnce()
const where = ['--network', subnet.chainFile, '--buckets', subnet.buckets]

afterEach(() => void vi.restoreAllMocks())
afterAll(closeServers)

it('af practise --network compares with the recorded results of the champion, and calls only the endpoint', async () => {
  const { url, seen } = await servePlayer(PLAYER)
  const file = join(root, 'practice.jsonl')
  const options = ['--challenges', '50', '--last', '100', '--resume', file]
  const words = ['practise', url, ...where, ...options]
  const connect = vi.spyOn(Socket.prototype, 'connect')
  const ended = await runAf([...words, '--json'])
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  const records = parseRecords(ended.stdout)
  const { champion, envs, dethrones } = records.at(-1)
  expect(champion).toBe(hotkeyOf('stronger'))

  // The same numbers must follow from the published samples.
  const samples: Sample[] = []
  await recomputeIn(subnet.folder, { onSample: (sample) => void samples.push(sample) })
  const wins: Record<string, number> = {}
  for (const { env, wins: won, losses, ties, win } of envs) {
    const mine = parseRecords(await readFile(file, 'utf8')).filter((line) => line.env === env)
    expect(mine).toHaveLength(50)
    const leads: number[] = []
    for (const { challengeId, reward } of mine) {
      const recorded = samples
        .filter((sample) => sample.challengeId === challengeId)
        .flatMap(listEpisodes)
        .find(({ miner }) => miner === champion)
      const again: Transcript = await play(make(env), challengeId, (messages) => ({
        content: playerReply(messages.at(-1)?.content ?? '', PLAYER),
      }))
      expect(reward).toBe(again.reward)
      leads.push(Math.sign(again.reward - (recorded?.reward ?? Number.NaN)))
    }
    const count = (sign: number) => leads.filter((lead) => lead === sign).length
    expect([won, losses, ties]).toEqual([count(1), count(-1), count(0)])
    expect(win.lower).toBeLessThan(win.middle)
    expect(win.middle).toBeLessThan(win.upper)
    wins[env] = win.middle
  }
  // To beat the champion, a player must win two of the three environments of one player.
  const [a = 0, b = 0, c = 0] = Object.values(wins)
  expect(Object.keys(wins)).toEqual(['mult8@0.1.0', 'pack@0.1.0', 'tictactoe@0.1.0'])
  expect(dethrones.middle).toBeCloseTo(a * b + a * c + b * c - 2 * a * b * c, 12)
  expect(dethrones.lower).toBeLessThanOrEqual(dethrones.middle)
  expect(dethrones.middle).toBeLessThanOrEqual(dethrones.upper)

  const text = await runAf(words)
  expect(text.stdout).toMatch(
    /^mult8@0\.1\.0: \d+ won, \d+ lost, \d+ tied against the champion\n {2}\[.*┃.*\] [\d.]+ % to [\d.]+ % vs [\d.]+ %: a win with 0\.\d{3} \(0/m,
  )
  expect(text.stdout).toMatch(/^Without games, it becomes champion with probability /m)
  expect(text.stdout).toMatch(/: reward -?\d, best \d, the champion's -?\d$/m)
  // The command connected to one port only, so no request reached the champion.
  const places = connect.mock.calls.flat(2) as readonly { readonly port?: unknown }[]
  const ports = places.flatMap((place) => place?.port ?? [])
  expect(new Set(ports)).toEqual(new Set([Number(new URL(url).port)]))
  const posts = seen.map(({ body }) => body)
  expect(posts.length).toBeGreaterThanOrEqual(100)
  for (const { account } of PARTICIPANTS.miners) expect(posts.join()).not.toContain(account.hotkey)
})

it('af practise --network needs a champion, and rejects --env', async () => {
  const practise = (...words: readonly string[]) => runAf(['practise', '0.5', ...words])
  expect((await practise(...where, '--env', 'mult8-v0')).code).toBe(2)
  const early = await writeIn(root, cutBlocks(subnet.chainExport, 12))
  const none = { code: 4, stderr: 'af: there is no champion yet\n' }
  expect(await practise('--network', early)).toMatchObject(none)
})
