import { expect, it } from 'vitest'
import type { Network } from '../../packages/settlement/src/index.ts'
import { afVerify } from './af-verify.ts'
import { OneLiar } from './one-liar.ts'
import { hotkeys, type LanePlan, network } from './reading-subnet.ts'

/** What the liar does, and the honest, who do as they should. */
export type Lie = (subnet: OneLiar) => Promise<void>
/** The flaws that are found, each with whom it blames. */
type Named = (subnet: OneLiar) => readonly string[]

export const liar =
  (...codes: readonly string[]): Named =>
  ({ liar }) =>
    codes.map((code) => `${code} ${liar.hotkey}`)

/** The liar seals a lane of this plan, which all buckets hold and all attest. */
export const sealing =
  (plan: LanePlan): Lie =>
  async (subnet) => {
    await subnet.sealLie(plan)
    await attestedByAll(subnet)
  }

/** The honest seal, and all attest the lanes of all. */
export async function attestedByAll(subnet: OneLiar): Promise<void> {
  await subnet.beHonest(hotkeys(subnet.voters))
  await subnet.lie(hotkeys(subnet.voters))
}

/** By rules, what an epoch comes to in which the liar only attests, and what it should. */
const honest = new Map<Network, ReturnType<OneLiar['outcome']>>()

function honestOutcome(rules: Network = network): ReturnType<OneLiar['outcome']> {
  const outcome = honest.get(rules) ?? play()
  honest.set(rules, outcome)
  return outcome

  async function play() {
    const subnet = new OneLiar(rules)
    await subnet.beHonest()
    await subnet.lie(hotkeys(subnet.honest))
    return subnet.outcome()
  }
}

/**
 * Whatever the liar does: those are named whom a row says and nobody else, by `af-verify` too; the
 * honest lanes count, and the liar's does not; the epoch comes to what it comes to without it.
 */
export function itIsFoundOut(
  rows: Readonly<Record<string, readonly [named: Named, lie: Lie]>>,
  rules: Network = network,
): void {
  it.each(Object.entries(rows))('%s', async (_, [named, lie]) => {
    const subnet = new OneLiar(rules)
    await lie(subnet)
    const { flaws, accepted, champion, tallies, root, trustIn } = await subnet.outcome()
    expect([...flaws].sort()).toEqual([...named(subnet)].sort())
    expect(accepted).toEqual(new Set(hotkeys(subnet.honest)))
    const without = await honestOutcome(rules)
    expect([champion, tallies]).toEqual([without.champion, without.tallies])
    expect(trustIn(subnet.liar)).toBeLessThan(trustIn(subnet.honest[0]))
    const verified = await afVerify(subnet)
    expect(new Set(verified.flaws)).toEqual(new Set(flaws))
    expect(verified).toMatchObject({ code: flaws.length > 0 ? 1 : 0, root, champion })
  })
}
