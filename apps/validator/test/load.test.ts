import { readFile } from 'node:fs/promises'
import { account } from '@affine/chain'
import { PROTOCOL } from '@affine/duel'
import { type Agent, make, play, playGame } from '@affine/envs'
import { playEpisode, playPair, soloChallenge } from '@affine/miners'
import { canonicalize, type Json } from '@affine/prng'
import { expect, it } from 'vitest'
import { estimateLoads, formatBytes, printCosts } from '../src/service/load.ts'

const neurons = (count: number) =>
  Array.from({ length: count }, () => ({ permit: true, stake: 1n }))

it('computes the load of docs/scale.md for the maximum number of duels', () => {
  const { mostEpoch, dayEpochs } = estimateLoads(PROTOCOL, { neurons: neurons(64) })
  // Eight contenders and the champion.
  const most = 9 * 3 * 512
  const laneBytes = most * 830 + 8 * 64 * 16_000
  expect(mostEpoch).toMatchObject({
    ...{ samples: most + 8 * 64, requests: 9 * 512 * 6 + 8 * 64 * 91, laneBytes },
  })
  expect(mostEpoch.bucketBytes).toBe(64 * laneBytes)
  expect(dayEpochs).toBe(20)
})

it('load.ts has the mean sizes of an episode and a game, within 5 %', async () => {
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

// If these sizes change, count the tokens of a request again: `TOKENS` in load.ts.
it.each([
  ['mult8-v0', 200, 143],
  ['tictactoe-v0', 200, 664],
  ['pack-v0', 200, 687],
  ['hex-v0', 20, 722],
])(
  'requests and replies of %s have the size with which the tokens of load.ts were counted',
  async (id, challenges, bytes) => {
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
  },
)

it('computes the tokens, and the requests to the champion, of the largest epoch', () => {
  const { tokens, championRequests } = estimateLoads(PROTOCOL, { neurons: neurons(64) }).mostEpoch
  expect(tokens).toBe(9 * 512 * (40 + 4 * 194 + 317) + 8 * 64 * 91 * 270)
  // The side that begins a game of 91 turns has 46 of them.
  expect(championRequests).toBe(64 * (512 * 6 + 8 * 64 * 46))
})

it('the documents have the bytes of a lane with replies of 640 bytes, the maximum', async () => {
  const lanes = ['tictactoe-v0', 'mult8-v0', 'pack-v0'].map((id) => 9 * 512 * filledBytes(id, 640))
  // One line of a reply in a game is recorded. A line longer than a move ends the game.
  const games = 8 * 64 * filledBytes('hex-v0', 'A1'.length)
  const laneBytes = lanes.reduce((sum, bytes) => sum + bytes, games)
  const scale = await pageOf('scale')
  expect(scale).toContain(`such a lane has ${Math.round(laneBytes / 1e6)} MB`)
  const year = (voters: number): string => formatBytes(365 * 20 * voters * laneBytes)
  expect(scale).toContain(year(64))
  expect(scale).toContain(year(128))
  expect(await pageOf('operating')).toContain(year(64))
})

it('prints the costs of a validator and of a miner, one line each', async () => {
  const lines: string[] = []
  const records: object[] = []
  const line = (text: string, record: object): void => {
    lines.push(text)
    records.push(record)
  }
  const screen = { line, status: () => {}, wait: () => {} }
  for (const who of ['validator', 'miner'] as const)
    printCosts(who, estimateLoads(PROTOCOL, { neurons: neurons(64) }), screen)
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('snapshots/costs.txt')
  expect(records[1]).toMatchObject({
    type: 'costs',
    who: 'miner',
    calls: 1_703_936,
    monthEpochs: 600,
  })
  const page = await pageOf('mining')
  for (const text of ['2.16 $', '1,296 $', '5.40 $', '1,703,936 times', '444 million'])
    expect(page).toContain(text)
})

const pageOf = (page: string): Promise<string> =>
  readFile(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8')

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
