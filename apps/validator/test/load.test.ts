import { readFile } from 'node:fs/promises'
import { LIMITS } from '@affine/blocks'
import { account } from '@affine/chain'
import { computeQuota, type EnvConstants, PROTOCOL } from '@affine/duel'
import { type Agent, make, play, playGame } from '@affine/envs'
import { playEpisode, playPair, soloChallenge } from '@affine/miners'
import { canonicalize, type Json } from '@affine/prng'
import { expect, it } from 'vitest'
import { formatBytes } from '../src/examination/findings.ts'
import { estimateDay } from '../src/examination/own-checks.ts'

const neurons = Array.from({ length: 64 }, () => ({ permit: true, stake: 1n }))
const DAY_EPOCHS = 20
const pageOf = (page: string): Promise<string> =>
  readFile(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8')
const scale = await pageOf('scale')

// Nine miners, eight contenders and the champion, in three environments of one player.
const most = { samples: 9 * 3 * 512 + 8 * 64, laneBytes: 9 * 3 * 512 * 830 + 8 * 64 * 16_000 }

it('estimates the bytes of a day with the maximum number of duels', () => {
  const laneBytes = DAY_EPOCHS * most.laneBytes
  expect(estimateDay(PROTOCOL, neurons)).toEqual({ laneBytes, bucketBytes: 64 * laneBytes })
})

it('own-checks.ts has the mean sizes of an episode and a game, within 5 %', async () => {
  const sizes = ['tictactoe-v0', 'mult8-v0', 'pack-v0', 'hex-v0'].map(async (id) => {
    const { id: env, game } = make(id).spec
    const indexes = Array.from({ length: game ? 100 : 400 }, (_, index) => index)
    const lines = await Promise.all(indexes.map((index) => playedLine(env, index)))
    return lines.reduce((sum, line) => sum + line.length, 0) / lines.length
  })
  const [tictactoe = 0, mult8 = 0, pack = 0, hex = 0] = await Promise.all(sizes)
  expect(Math.abs((tictactoe + mult8 + pack) / 3 / 830 - 1)).toBeLessThan(0.05)
  expect(Math.abs(hex / 16_000 - 1)).toBeLessThan(0.05)
})

// If these sizes change, count the tokens of a request again, which docs/mining.md states.
it.each([
  ['mult8-v0', 200, 143],
  ['tictactoe-v0', 200, 664],
  ['pack-v0', 200, 687],
  ['hex-v0', 20, 722],
])('requests and replies of %s have the assumed size', async (id, challenges, bytes) => {
  const env = make(id)
  const sizes: number[] = []
  const agent: Agent = (messages) => {
    const content = env.spec.solve(messages.at(-1)?.content ?? '')
    sizes.push(messages.reduce((sum, message) => sum + message.content.length, content.length))
    return { content }
  }
  for (let index = 0; index < challenges; index++) {
    const challengeId = soloChallenge(env.spec.id, 'ab'.repeat(32), index)
    if (env.spec.game) await playGame(env, challengeId, { champion: agent, contender: agent })
    else await play(env, challengeId, agent)
  }
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  expect(Math.round(mean)).toBe(bytes)
})

it('the documents state the bytes of a lane with replies of 640 bytes, the maximum', async () => {
  const lanes = ['tictactoe-v0', 'mult8-v0', 'pack-v0'].map((id) => 9 * 512 * filledBytes(id, 640))
  // One line of a reply in a game is recorded. A line longer than a move ends the game.
  const games = 8 * 64 * filledBytes('hex-v0', 'A1'.length)
  const laneBytes = lanes.reduce((sum, bytes) => sum + bytes, games)
  expect(scale).toContain(`such a lane has ${Math.round(laneBytes / 1e6)} MB`)
  const year = (voters: number): string => formatBytes(365 * 20 * voters * laneBytes)
  expect(scale).toContain(year(64))
  expect(scale).toContain(year(128))
  expect(await pageOf('operating')).toContain(year(64))
})

it('the documents state the calls and tokens of the largest epochs', async () => {
  const [tictactoe, mult8, pack, hex] = ['tictactoe-v0', 'mult8-v0', 'pack-v0', 'hex-v0'].map(
    (id) => make(id).spec.maxSteps,
  )
  const turns = (tictactoe ?? 0) + (mult8 ?? 0) + (pack ?? 0)
  const tokens = 194 * (tictactoe ?? 0) + 40 * (mult8 ?? 0) + 317 * (pack ?? 0)
  const month = 30 * DAY_EPOCHS
  const games = 8 * 64 * (hex ?? 0)
  const operating = await pageOf('operating')
  expect(operating).toContain(`${millions(month * (9 * 512 * turns + games), 1)} calls`)
  const billions = (month * (9 * 512 * tokens + games * 270)) / 1e9
  expect(operating).toContain(`${billions.toFixed(1)} billion tokens`)
  // The side that begins a game of 91 turns has 46 of them.
  const begun = 8 * 64 * Math.ceil((hex ?? 0) / 2)
  const champion = 64 * (512 * turns + begun)
  const championTokens = 64 * (512 * tokens + begun * 270)
  const mining = await pageOf('mining')
  expect(mining).toContain(`${champion.toLocaleString('en')} times`)
  expect(mining).toContain(`${millions(championTokens)} tokens`)
  expect(mining).toContain(`${((month * championTokens) / 1e9).toFixed(0)} billion`)
})

const HOTKEY = account(new Uint8Array(32).fill(1)).hotkey
const INVOCATION = '01234567-89ab-cdef-0123-456789abcdef'

/** Returns a sample of a perfect player, as a line of a lane. */
async function playedLine(env: string, index: number): Promise<string> {
  const challenge = { env, index, challengeId: soloChallenge(env, 'ab'.repeat(32), index) }
  const agent: Agent = (messages) => ({
    content: make(env).spec.solve(messages.at(-1)?.content ?? ''),
    ...{ ms: 2345, invocation: INVOCATION },
  })
  const player = { hotkey: HOTKEY, agent }
  if (make(env).spec.game) {
    const game = await playPair(challenge, { champion: player, contender: player }, () => 0)
    return `${canonicalize(game as unknown as Json)}\n`
  }
  const episode = await playEpisode(challenge, player, () => 0)
  return `${canonicalize({ ...challenge, ...episode } as unknown as Json)}\n`
}

/** Returns the maximum bytes of a line with all turns, with replies of this length. */
function filledBytes(id: string, replyLength: number): number {
  const env = make(id)
  const { spec } = env
  const prompts = Array.from({ length: 20 }, (_, seed) => env.prompt(env.reset({ seed })[0]))
  const [content = ''] = prompts.sort((one, other) => other.length - one.length)
  const reply = { role: 'assistant', content: 'x'.repeat(replyLength) }
  const turn = [
    { role: 'user', content },
    { ...reply, ms: 2345, invocation: INVOCATION },
  ]
  const messages = Array.from({ length: spec.maxSteps }, () => turn).flat()
  const challengeId = soloChallenge(spec.id, 'ab'.repeat(32), 0)
  const episode = { miner: HOTKEY, messages, reward: 1, ms: 2345 }
  const other = { ...episode, messages: [] }
  const played = spec.game ? { champion: episode, contender: other } : episode
  return canonicalize({ env: spec.id, index: 123, challengeId, ...played }).length + 1
}

const text = scale.replaceAll(/\s+/g, ' ')
const rows = scale.split('\n').map((line) => line.replaceAll(/ +/g, ' '))
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const EPOCHS = 365 * 20
const LANES = [64, 128] as const

/** Returns the mean samples of a lane in one environment, over the longest duels. */
function meanSamples(env: EnvConstants): number {
  const epochs = Array.from({ length: PROTOCOL.duelEpochs }, (_, at) => computeQuota(at + 1, env))
  const quota = epochs.reduce((sum, each) => sum + each, 0) / PROTOCOL.duelEpochs
  return quota * (env.players === 2 ? PROTOCOL.duelsMost : PROTOCOL.duelsMost + 1)
}

const millions = (count: number, digits = 0): string =>
  `${Number((count / 1e6).toFixed(digits)).toLocaleString('en')} million`
const yearOf = (each: number, tell: (count: number) => string): readonly string[] =>
  LANES.map((lanes) => tell(EPOCHS * lanes * each))
const envs = Object.entries(PROTOCOL.envs)

it('docs/scale.md states the samples, blocks and bytes of a year', () => {
  const mean = envs.reduce((sum, [, env]) => sum + meanSamples(env), 0)
  const [count, average] = [most.samples, mean].map((number) => number.toLocaleString('en'))
  expect(text).toContain(`at most ${count} in one epoch, and ${average} on average`)
  expect(text).toContain(`at most ${formatBytes(most.laneBytes)} a lane, in 8 blocks`)
  expect(rows).toContain(row('samples, if all duels take 8 epochs', ...yearOf(mean, millions)))
  expect(rows).toContain(row('samples, at the most', ...yearOf(most.samples, millions)))
  expect(rows).toContain(
    row('bytes of one copy, with short replies', ...yearOf(most.laneBytes, formatBytes)),
  )
  // The first block is full of games, the others of episodes.
  const games = envs.flatMap(([, env]) => (env.players === 2 ? [env.quotaMost] : []))
  const episodes = most.samples - PROTOCOL.duelsMost * games.reduce((sum, quota) => sum + quota, 0)
  const blocks = yearOf(1 + Math.ceil(episodes / LIMITS.blockSamples), (all) => millions(all, 1))
  expect(rows).toContain(row('blocks, with short replies', ...blocks))
  const copies = LANES.map((lanes) => formatBytes(EPOCHS * lanes * lanes * most.laneBytes))
  expect(rows).toContain(
    row('to compare every attested copy', ...copies.map((bytes) => `${bytes} read`)),
  )
})

it('the hours for verifying a year follow from the speeds that the page states', () => {
  const [, mult8, tictactoe, pack, hex] =
    /verifies, in a second, ([\d,]+) episodes of mult8, ([\d,]+) of tictactoe, ([\d,]+) of pack and ([\d,]+) games of hex/.exec(
      text,
    ) ?? []
  const speeds: Readonly<Record<string, string | undefined>> = { hex, mult8, pack, tictactoe }
  const seconds = envs.map(([env, constants]) => {
    const speed = speeds[env.replace('@0.1.0', '')] ?? ''
    return meanSamples(constants) / Number(speed.replaceAll(',', ''))
  })
  const each = seconds.reduce((sum, part) => sum + part, 0)
  const hours = yearOf(each, (count) => `${(count / 3600).toFixed(1)} hours`)
  expect(rows).toContain(row('to verify on one core', ...hours))
})
