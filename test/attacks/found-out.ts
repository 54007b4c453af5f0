import { expect, it } from 'vitest'
import type { Network } from '../../packages/settlement/src/index.ts'
import { at, type Rows } from './lies.ts'
import { OneLiar } from './one-liar.ts'
import { hotkeys, network } from './reading-subnet.ts'

/** Resolves with the outcome of an epoch in which the liar seals no lane and attests correctly. */
async function playUnsealed(rules: Network): ReturnType<OneLiar['outcome']> {
  const subnet = new OneLiar(rules)
  await at()(subnet)
  return subnet.outcome()
}

/** The outcome of `playUnsealed` for each network's rules. */
const unsealed = new Map<Network, ReturnType<OneLiar['outcome']>>()

/**
 * Declares a test for each row: recomputation finds exactly the flaws of the row, the honest lanes
 * count and the liar's lane does not, and champion and tallies are the same as without the liar's
 * lane. test/conformance verifies the same rows with `af-verify`.
 */
export function testLies(rows: Rows, rules: Network = network): void {
  it.each(Object.entries(rows))('finds exactly the expected flaws: %s', async (_, [named, lie]) => {
    const subnet = new OneLiar(rules)
    await lie(subnet)
    const { flaws, accepted, champion, tallies, trustIn } = await subnet.outcome()
    expect([...flaws].sort()).toEqual([...named(subnet)].sort())
    expect(accepted).toEqual(new Set(hotkeys(subnet.honest)))
    const playing = unsealed.get(rules) ?? playUnsealed(rules)
    unsealed.set(rules, playing)
    const without = await playing
    expect([champion, tallies]).toEqual([without.champion, without.tallies])
    expect(trustIn(subnet.liar)).toBeLessThan(trustIn(subnet.honest[0]))
  })
}
