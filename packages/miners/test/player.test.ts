import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { addTimeout } from '../src/asking.ts'
import { NODE_CALLER } from '../src/node/exchange.ts'
import { openPlayer } from '../src/player.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

test('addTimeout aborts after the timeout despite garbage collection', async () => {
  const { signal } = new AbortController()
  const giveUp = addTimeout(100, signal)
  await setTimeout(1)
  collectGarbage()
  await setTimeout(500) // this timer is due later on any machine
  expect(giveUp.aborted).toBe(true)
  expect(signal.aborted).toBe(false)
})

test('addTimeout aborts with the given signal', () => {
  const controller = new AbortController()
  const giveUp = addTimeout(60_000, controller.signal)
  controller.abort(new Error('stop'))
  expect(giveUp.reason).toEqual(new Error('stop'))
})

test.each(['', ' ', '\t', '1.1', '-0.1', 'nobody'])('rejects the player %j', async (who) => {
  const { signal } = new AbortController()
  const asking = { ...NODE_CALLER, model: 'default', timeoutMs: 1000, signal }
  await expect(openPlayer(who, 'seed', asking)).rejects.toThrow(
    `or a skill from 0 to 1; got "${who}"`,
  )
})
