import { afterAll, expect, test } from 'vitest'
import { LOCAL_NETWORK } from '../../packages/settlement/src/index.ts'
import { killAll } from '../processes.ts'
import { afVerify } from './af-verify.ts'
import { OneLiar } from './one-liar.ts'
import { hotkeys } from './reading-subnet.ts'

// Protocol §5.2: a bit is set for a lane that was sealed, was whole and is served. §8.3: a lane
// counts if it was sealed, whoever attests it.
afterAll(killAll)

test('who attests a lane that was never sealed is named, the lane counts for nothing, and af-verify exits with 1', async () => {
  const truthful = new OneLiar(LOCAL_NETWORK)
  await truthful.beHonest()
  await truthful.attest(truthful.liar, await truthful.state, hotkeys(truthful.honest))
  const { flaws, root, champion } = await truthful.outcome()
  expect(flaws).toEqual([])

  const subnet = new OneLiar(LOCAL_NETWORK)
  await subnet.beHonest()
  await subnet.attest(subnet.liar, await subnet.state, hotkeys(subnet.voters))
  const outcome = await subnet.outcome()
  expect(outcome.flaws).toEqual([`NEVER_SEALED ${subnet.liar.hotkey}`])
  expect(outcome.accepted).toEqual(new Set(hotkeys(subnet.honest)))
  expect(await afVerify(subnet)).toEqual({ code: 1, flaws: outcome.flaws, root, champion })
})

test('attested by all of the weight it counts no more, and all of them are named', async () => {
  const subnet = new OneLiar()
  const state = await subnet.state
  await subnet.sealAll(state, subnet.honest)
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  const { flaws, accepted } = await subnet.outcome()
  const named = hotkeys(subnet.voters).map((hotkey) => `NEVER_SEALED ${hotkey}`)
  expect(new Set(flaws)).toEqual(new Set(named))
  expect(accepted).toEqual(new Set(hotkeys(subnet.honest)))
})
