import { describe, expect, it, vi } from 'vitest'
import type { Duel, Miner } from '../../packages/duel/src/index.ts'
import type { DuelEnd } from './check.ts'
import { streamOf } from './draw.ts'
import { drawFaults, type Fault, LIES } from './faults.ts'
import { strengthOf } from './miners.ts'
import { shrink } from './shrink.ts'
import { type Ran, simulate, type Underway } from './simulation.ts'
import { drawWorld, type Player, type World } from './world.ts'

vi.mock('../../packages/chain/node_modules/@scure/sr25519', () => import('./quick-keys.ts'))
vi.mock(
  '../../packages/chain/node_modules/@polkadot/wasm-crypto/index.js',
  () => import('./quick-keys.ts'),
)

/** Runs the world of a seed, with the faults that the seed draws. */
function run(seed: number, epochs: number): Promise<Ran> {
  const world = drawWorld(seed, epochs)
  return simulate(world, drawFaults(world, streamOf(seed, 'faults')))
}

/** Four equal validators; miners of these strengths, which commit in this order. */
function worldOf(strengths: readonly number[], epochs: number): World {
  const world = drawWorld(1, epochs)
  return {
    ...world,
    protocol: { ...world.protocol, duelEpochs: 6, quorumEpochs: 20 },
    validators: world.validators.slice(0, 4),
    stakes: [100, 100, 100, 100],
    miners: strengths.map((strength, i): Player => {
      const { account } = world.miners[i]!
      return { account, registered: 0, moves: [{ block: i + 1, strength }] }
    }),
  }
}

/** How many games of a duel each of its players has won, the stronger one first. */
function gamesOf(
  world: World,
  champion: Miner,
  { contender, tallies }: Duel,
): readonly [number, number] {
  const lanes = tallies.flatMap((epoch) => Object.values(epoch['hex@0.1.0'] ?? {}))
  const wins = lanes.reduce((sum, lane) => sum + lane[0], 0)
  const losses = lanes.reduce((sum, lane) => sum + lane[1], 0)
  const isStronger = strengthOf(world, contender) > strengthOf(world, champion)
  return isStronger ? [wins, losses] : [losses, wins]
}

const epochsWon = (duels: readonly DuelEnd[]): readonly number[] =>
  duels.filter(({ outcome }) => outcome === 'contender').map(({ epoch }) => epoch)

describe('a subnet', () => {
  it.each([1, 3, 16])(
    'keeps what is promised of it, whatever goes wrong: seed %d',
    async (seed) => {
      expect((await run(seed, 6)).violation).toBeUndefined()
    },
  )

  // Before, blocks were awaited from their lane's validator first, and those of the next epoch came
  // late to whom it was slow.
  it('has every honest lane count beside liars whose buckets are slow to half of it', async () => {
    const world = drawWorld(5, 6)
    const slow = { kind: 'lies', how: 'serves slowly' } as const
    const all = world.stakes.reduce((sum, stake) => sum + stake, 0)
    const faults: Fault[] = []
    let weight = 0
    for (const [who, stake] of world.stakes.entries()) {
      if (3 * (weight + stake) >= all) continue
      weight += stake
      faults.push({ who, ...slow })
    }
    expect(faults.length).toBeGreaterThan(0)
    const { violation, frozen, isBeyond } = await simulate(world, faults)
    expect({ violation, frozen, isBeyond }).toEqual({ frozen: 0, isBeyond: false })
  })

  // Before, the others asked the slow bucket no more for epochs after it was mended: its lane, which a
  // liar had attested unread, was nowhere else, and one that lacked it could decide nothing.
  it('gets on soon after the outage of a bucket with a lane that a liar has attested', async () => {
    const { violation, frozen } = await simulate(drawWorld(770_131, 10), [
      { kind: 'lies', who: 1, how: 'attests all' },
      { kind: 'bucket', how: 'slow', who: 0, from: 124, to: 150 },
    ])
    expect({ violation, frozen }).toEqual({ frozen: 1 })
  })

  it.each([
    { epochs: 1, outs: [2] },
    { epochs: 2, outs: [4] },
    { epochs: 10, outs: [1, 2, 4] },
  ])(
    'is dethroned as without an outage, or later: $outs of 4 for $epochs epochs',
    async ({ epochs, outs }) => {
      const world = worldOf([0.05, 0.95], epochs + 6)
      const [wonWithout = Number.NaN] = epochsWon((await simulate(world, [])).duels)
      const [from, to] = [20, 20 + epochs * world.protocol.epochBlocks]
      for (const out of outs) {
        const faults = [0, 1, 2, 3]
          .slice(0, out)
          .map((who): Fault => ({ kind: 'absent', who, from, to }))
        const { violation, duels } = await simulate(world, faults)
        expect(violation).toBeUndefined()
        const [wonAt] = epochsWon(duels)
        // One of four keeps no epoch from counting: its lane is missing. Two do, until they are back.
        const [least, most] = out === 1 ? [0, 1] : [1, epochs + 3]
        expect(wonAt).toBeGreaterThanOrEqual(wonWithout + least)
        expect(wonAt).toBeLessThanOrEqual(wonWithout + most)
      }
    },
  )

  it.each([
    { strengths: [0.05, 0.6, 0.3, 0.98], thrones: [0.05, 0.98], ahead: 1.5 },
    // Over after 32 games with each of two that are nearly as good at Hex: they tell nothing.
    { strengths: [0.6, 0.98, 0.05, 0.3], thrones: [0.6, 0.98], ahead: 0 },
  ])(
    'that plays games too has the best of all on its throne: $strengths',
    async ({ strengths, thrones, ahead }) => {
      const world = worldOf(strengths, 9)
      const seen: number[] = []
      const games = new Map<string, readonly [better: number, worse: number]>()
      const look = async ({ seats: [seat] }: Underway): Promise<void> => {
        const { champion, duels = [] } = seat?.validator?.state ?? {}
        if (champion === undefined) return
        if (seen.at(-1) !== strengthOf(world, champion)) seen.push(strengthOf(world, champion))
        for (const duel of duels) games.set(duel.contender.hotkey, gamesOf(world, champion, duel))
      }
      const { violation, duels } = await simulate(world, [], look)
      expect([violation, seen]).toEqual([undefined, thrones])
      expect(duels).toHaveLength(3)
      const sum = (which: 0 | 1) => [...games.values()].reduce((all, each) => all + each[which], 0)
      expect(sum(0)).toBeGreaterThan(ahead * sum(1))
      expect(sum(1)).toBeGreaterThan(0)
    },
  )

  it('repeats with its seed', async () => {
    expect(await run(3, 5)).toEqual(await run(3, 5))
  })
})

it('shrinks a list of faults to those that it takes', async () => {
  const faults = LIES.map((how, who): Fault => ({ kind: 'lies', who, how }))
  const needed = [faults[2], faults[7]]
  const few = await shrink(faults, async (some) => needed.every((each) => some.includes(each!)))
  expect(few).toEqual(needed)
})
