import { PROTOCOL } from '@affine/duel'
import { make } from '@affine/envs'
import { expect, it } from 'vitest'
import { createParticipants, createStage } from '../src/commands/demo/subnet.ts'

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
  // A millisecond is too short for a hundred concurrent calls.
  const agent = stage.agent({ ...committed, ...where }, 1, { epoch: 0, signal })
  const prompt = [{ role: 'user', content: game.render() }] as const
  const replies = await Promise.all(Array.from({ length: 100 }, () => agent(prompt)))
  for (const reply of replies) expect(reply).toHaveProperty('content')
})
