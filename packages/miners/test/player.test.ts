import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { type AgentOf, within } from '../src/asking.ts'
import { NODE_CALLER } from '../src/node/exchange.ts'
import { openMiner, openPlayer } from '../src/player.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

test('time runs out, though garbage is collected meanwhile', async () => {
  const { signal } = new AbortController()
  const giveUp = within(100, signal)
  await setTimeout(1)
  collectGarbage()
  await setTimeout(500) // which is due later, however slow the machine is
  expect(giveUp.aborted).toBe(true)
  expect(signal.aborted).toBe(false)
})

test('it is over when the signal says so', () => {
  const controller = new AbortController()
  const giveUp = within(60_000, controller.signal)
  expect(giveUp.aborted).toBe(false)
  controller.abort(new Error('stop'))
  expect(giveUp.reason).toEqual(new Error('stop'))
})

test.each(['', ' ', '\t', '1.1', '-0.1', 'nobody'])('%j names no player', async (who) => {
  const { signal } = new AbortController()
  const asking = { ...NODE_CALLER, model: 'default', giveUpMs: 1000, signal }
  await expect(openPlayer(who, 'seed', asking)).rejects.toThrow(
    `or a skill from 0 to 1; got "${who}"`,
  )
})

test('a committed miner has a new check of its deployment every ten minutes', async () => {
  const { signal } = new AbortController()
  const [hotkey, NONE] = ['5F', '0'.repeat(64)]
  const miner = { hotkey, model: 'me/5F', revision: 'ab', chute: 'c', templates: NONE }
  let ms = 0
  const epochs: number[] = []
  const agentsWith =
    (): AgentOf =>
    (asked, _, { epoch }) => {
      expect(asked).toBe(miner)
      epochs.push(epoch)
      return async () => ({ content: 'A1', ms: 1 })
    }
  const asking = { ...NODE_CALLER, now: () => ms, model: 'unused', giveUpMs: 1000, signal }
  const { agent } = await openMiner(miner, agentsWith, asking)
  const prompt = [{ role: 'user', content: 'Compute 1 * 1.' }] as const
  for (ms of [0, 599_999, 600_000]) await agent(1000)(prompt)
  expect(epochs).toEqual([0, 1, 1, 2])
})
