import { readFile } from 'node:fs/promises'
import { LOCAL, PROTOCOL } from '@affine/duel'
import { bytesText, loadsOf } from '@affine/engine'
import { make } from '@affine/envs'
import { expect, it } from 'vitest'

const neurons = (count: number) =>
  Array.from({ length: count }, () => ({ permit: true, stake: 1n }))

it('a duel takes what docs/scale.md counts', async () => {
  const { voters, firstEpoch, mostEpoch, mostDay } = loadsOf(PROTOCOL, { neurons: neurons(64) })
  const laneBytes = 3 * 512 * 1800 + 64 * 16_000
  expect(voters).toBe(64)
  expect(firstEpoch).toMatchObject({ challenges: 3 * 32 + 8, requests: 2 * 32 * 6 + 8 * 91 })
  expect(mostEpoch).toMatchObject({ challenges: 1600, requests: 2 * 512 * 6 + 64 * 91, laneBytes })
  expect(mostEpoch.bucketBytes).toBe(64 * laneBytes)
  expect(mostDay.challenges).toBe(20 * 1600)
  const scale = await readFile(new URL('../../../docs/scale.md', import.meta.url), 'utf8')
  const year = bytesText(365 * mostDay.bucketBytes)
  expect(year).toBe('1.77 TB')
  expect(scale).toMatch(new RegExp(`with short replies +\\| ${year}`))
})

it('a year of replies of 4 kB has the bytes that the pages say', async () => {
  const sampleBytes = ['tictactoe-v0', 'mult8-v0', 'pack-v0'].map((id) => {
    const env = make(id)
    const [observation] = env.reset({ seed: 1 })
    return 2 * env.spec.maxSteps * (4096 + env.prompt(observation).length)
  })
  // Of a reply in a game one line is kept.
  const games = 64 * 16_000
  const laneBytes = sampleBytes.reduce((sum, bytes) => sum + 512 * bytes, games)
  const year = (voters: number): string => bytesText(365 * 20 * voters * laneBytes)
  for (const page of ['scale', 'operating']) {
    const text = await readFile(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8')
    expect(text).toContain(year(64))
    if (page === 'scale') expect(text).toContain(year(128))
  }
})

it('counts who can vote: with a permit and stake, as many as the protocol has room for', () => {
  const idle = [
    { permit: true, stake: 0n },
    { permit: false, stake: 1n },
  ]
  expect(loadsOf(PROTOCOL, { neurons: [...neurons(2), ...idle] }).voters).toBe(2)
  expect(loadsOf(PROTOCOL, { neurons: neurons(200) }).voters).toBe(128)
  expect(loadsOf(PROTOCOL, { neurons: [] }).voters).toBe(1)
  expect(loadsOf(LOCAL, { neurons: neurons(1) }).mostDay.challenges).toBe(
    240 * (2 * 512 + 128 + 16),
  )
})

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1300, '1.3 kB'],
  [1_331_200, '1.33 MB'],
  [621_936_640_000, '622 GB'],
  [5e15, '5000 TB'],
])('%i bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})
