import { readFileSync } from 'node:fs'
import { LIMITS } from '@affine/blocks'
import { computeQuota, type EnvConstants, PROTOCOL } from '@affine/duel'
import { expect, test } from 'vitest'
import { estimateLoads, formatBytes } from '../src/service/load.ts'

const page = readFileSync(new URL('../../../docs/scale.md', import.meta.url), 'utf8')
const text = page.replaceAll(/\s+/g, ' ')
const rows = page.split('\n').map((line) => line.replaceAll(/ +/g, ' '))
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const EPOCHS = 365 * 20
const LANES = [64, 128] as const
const neurons = Array.from({ length: 64 }, () => ({ permit: true, stake: 1n }))
const { samples: most, laneBytes } = estimateLoads(PROTOCOL, { neurons }).mostEpoch

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

test('a year has the samples, blocks and bytes of docs/scale.md', () => {
  const mean = envs.reduce((sum, [, env]) => sum + meanSamples(env), 0)
  const [count, average] = [most, mean].map((number) => number.toLocaleString('en'))
  expect(text).toContain(`at most ${count} in one epoch, and ${average} on average`)
  expect(text).toContain(`at most ${formatBytes(laneBytes)} a lane, in 8 blocks`)
  expect(rows).toContain(row('samples, if all duels take 8 epochs', ...yearOf(mean, millions)))
  expect(rows).toContain(row('samples, at the most', ...yearOf(most, millions)))
  expect(rows).toContain(
    row('bytes of one copy, with short replies', ...yearOf(laneBytes, formatBytes)),
  )
  // The first block is full of games, the others of episodes.
  const games = envs.flatMap(([, env]) => (env.players === 2 ? [env.quotaMost] : []))
  const episodes = most - PROTOCOL.duelsMost * games.reduce((sum, quota) => sum + quota, 0)
  const blocks = yearOf(1 + Math.ceil(episodes / LIMITS.blockSamples), (all) => millions(all, 1))
  expect(rows).toContain(row('blocks, with short replies', ...blocks))
  const copies = LANES.map((lanes) => formatBytes(EPOCHS * lanes * lanes * laneBytes))
  expect(rows).toContain(
    row('to compare every attested copy', ...copies.map((bytes) => `${bytes} read`)),
  )
})

test('the hours for verifying a year follow from the speeds that the page states', () => {
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
