import { PROTOCOL } from '@affine/duel'
import { make } from '@affine/envs'
import { stripTones } from '@affine/report'
import { expect, it } from 'vitest'
import { createParticipants, createStage } from '../src/commands/demo/subnet.ts'
import { formatStory, playSubnetOnce, recomputeIn } from './played-subnet.ts'

it('waits for miners on a slow machine, so that a run follows from its seed', async () => {
  const participants = createParticipants('a slow machine')
  using stage = createStage(participants)
  const [miner] = participants.miners
  if (miner === undefined) throw new Error('no miner')
  await stage.enter(miner)
  const { name, account } = miner
  const committed = { hotkey: account.hotkey, model: `affine/${name}-${account.hotkey}` }
  const where = { revision: 'main', chute: name, templates: PROTOCOL.templates }
  const { signal } = new AbortController()
  const game = make('mult8-v0')
  game.reset()
  // The limit of 1 ms for a reply would be too short for a hundred concurrent calls.
  const agent = stage.agent({ ...committed, ...where }, 1, { epoch: 0, signal })
  const prompt = [{ role: 'user', content: game.render() }] as const
  const replies = await Promise.all(Array.from({ length: 100 }, () => agent(prompt)))
  for (const reply of replies) expect(reply).toHaveProperty('content')
})

it('tells a story of fewer than 16 lines of 100 columns, with names, a warning and a winner', async () => {
  const { folder } = await playSubnetOnce()
  const lines = formatStory(await recomputeIn(folder), String(2 ** 32 - 1))
  const tones = lines.map((line) => (typeof line === 'string' ? 'none' : line.tone))
  expect(tones.slice(-3)).toEqual(['warning', 'good', 'none'])
  const story = stripTones(lines).split('\n')
  expect(story.filter((line) => line.length > 100)).toEqual([])
  expect(story.join('\n')).not.toMatch(/\b5[1-9A-HJ-NP-Za-km-z]{5,}|undefined|NaN/)
  expect(story.length).toBeLessThan(16)
  await expect(`${story.join('\n')}\n`).toMatchFileSnapshot('snapshots/demo.txt')
})
