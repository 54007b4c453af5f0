import { expect, test } from 'vitest'
import { OneLiar } from './one-liar.ts'
import { hotkeys, type LanePlan } from './reading-subnet.ts'

// Protocol §6.5: the last block reveals the secret that was committed to before the beacon. Who
// keeps or changes it loses its own lane, and nothing that others have needs it.
const OTHER = '0f'.repeat(32)
const PLANS: Readonly<Record<string, LanePlan>> = {
  'keeps its secret to itself': { header: { secret: undefined } },
  'reveals another one': { header: { secret: OTHER } },
  'plays what another secret gives': { secret: OTHER },
}

/** The epoch with a lane of the liar's, or with none. */
async function sealing(plan?: LanePlan) {
  const subnet = new OneLiar()
  if (plan) await subnet.sealLie(plan)
  await subnet.beHonest()
  await subnet.attest(subnet.liar, await subnet.state, hotkeys(subnet.honest))
  return { subnet, ...(await subnet.outcome()) }
}

test.each(Object.entries(PLANS))(
  'who %s has no lane, and nobody else loses one',
  async (_, plan) => {
    const { subnet, ...outcome } = await sealing(plan)
    expect(outcome.flaws).toEqual([`WRONG_SECRET ${subnet.liar.hotkey}`])
    const { tallies, champion } = await sealing()
    expect(outcome).toMatchObject({
      accepted: new Set(hotkeys(subnet.honest)),
      champion,
      tallies,
    })
  },
)

test('who does not seal has no lane either; it is no fault, but costs trust', async () => {
  const { subnet, flaws, accepted, trustIn } = await sealing()
  expect(flaws).toEqual([])
  expect(accepted).toEqual(new Set(hotkeys(subnet.honest)))
  for (const voter of subnet.honest) expect(trustIn(subnet.liar)).toBeLessThan(trustIn(voter))
})
