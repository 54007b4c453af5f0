import { describe, expect, it, vi } from 'vitest'
import type { Duel, Miner } from '../../packages/duel/src/index.ts'
import type { DuelEnd } from './check.ts'
import { streamOf } from './draw.ts'
import { drawFaults, type Fault } from './faults.ts'
import { strengthOf } from './miners.ts'
import { type RunningWorld, simulate } from './simulation.ts'
import { drawWorld, type Player, type World } from './world.ts'

vi.mock('../../packages/chain/node_modules/@scure/sr25519', () => import('./quick-keys.ts'))
vi.mock(
  '../../packages/chain/node_modules/@polkadot/wasm-crypto-wasm/cjs/bytes.js',
  () => import('./quick-keys.ts'),
)

/** Runs the world of a seed with the faults drawn from the same seed. */
function run(seed: number, epochs: number) {
  const world = drawWorld(seed, epochs)
  return simulate(world, drawFaults(world, streamOf(seed, 'faults')))
}

/**
 * Returns a world of four equal validators and miners of these strengths, in order of commitment.
 */
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

/** Returns the games that each player of a duel has won, the stronger player first. */
function gamesOf(
  world: World,
  champion: Miner,
  { contender, tallies }: Duel,
): readonly [number, number] {
  const lanes = tallies.flatMap((epoch) => Object.values(epoch['hex@0.1.0'] ?? {}))
  const sum = (side: 0 | 1) => lanes.reduce((total, lane) => total + lane[side], 0)
  const isStronger = strengthOf(world, contender) > strengthOf(world, champion)
  return isStronger ? [sum(0), sum(1)] : [sum(1), sum(0)]
}

const epochsWon = (duels: readonly DuelEnd[]): readonly number[] =>
  duels.filter(({ outcome }) => outcome === 'contender').map(({ epoch }) => epoch)

/** A weak miner, the first champion, and a far better contender. */
const BETTER = [0.05, 0.95]

describe('a subnet', () => {
  it('keeps every promise, with the same result in a second run: seed 3', async () => {
    const ran = await run(3, 4)
    expect(ran.violation).toBeUndefined()
    expect(await run(3, 4)).toEqual(ran)
  })

  // Readers once awaited a block from its lane's validator before requesting it from others, so
  // that the lanes of slow validators delayed the next epoch.
  it('counts every honest lane when buckets of liars are slow for half of the readers', async () => {
    const world = drawWorld(5, 4)
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

  // Other validators once did not read the slow bucket for epochs after its recovery. Its
  // validator's lane, which a liar had attested unread, was in no other bucket, so validators
  // without the lane could not decide.
  it('recovers soon after the outage of a bucket with a lane that a liar has attested', async () => {
    const { violation, frozen } = await simulate(drawWorld(770_131, 10), [
      { kind: 'lies', who: 1, how: 'attests all' },
      { kind: 'bucket', how: 'slow', who: 0, from: 124, to: 150 },
    ])
    expect({ violation, frozen }).toEqual({ frozen: 1 })
  })

  it('dethrones the champion during or after a long outage, no earlier than without outage', async () => {
    // The outage is longer than a duel may last.
    const [epochs, outs] = [7, [1, 4]]
    const [wonWithout = Number.NaN] = epochsWon((await simulate(worldOf(BETTER, 6), [])).duels)
    const world = worldOf(BETTER, epochs + 6)
    const [from, to] = [20, 20 + epochs * world.protocol.epochBlocks]
    for (const out of outs) {
      const faults = Array.from({ length: out }, (_, who): Fault => {
        return { kind: 'absent', who, from, to }
      })
      const { violation, duels } = await simulate(world, faults)
      expect(violation).toBeUndefined()
      const [wonAt] = epochsWon(duels)
      // With one of four validators absent, epochs still count, without its lane. With all absent,
      // no epoch counts.
      const [min, max] = out === 1 ? [0, 1] : [1, epochs + 3]
      expect(wonAt).toBeGreaterThanOrEqual(wonWithout + min)
      expect(wonAt).toBeLessThanOrEqual(wonWithout + max)
    }
  })

  it('crowns the best miner of all when games are played', async () => {
    // The weaker contenders are nearly as good at Hex: their duels end after 32 games each.
    const strengths = [0.6, 0.98, 0.05, 0.3]
    const world = worldOf(strengths, 4)
    const thrones: number[] = []
    const games = new Map<string, readonly [better: number, worse: number]>()
    const observe = async ({ seats: [seat] }: RunningWorld): Promise<void> => {
      const { champion, duels = [] } = seat?.validator?.state ?? {}
      if (champion === undefined) return
      const strength = strengthOf(world, champion)
      if (thrones.at(-1) !== strength) thrones.push(strength)
      for (const duel of duels) games.set(duel.contender.hotkey, gamesOf(world, champion, duel))
    }
    const { violation, duels } = await simulate(world, [], observe)
    expect([violation, thrones]).toEqual([undefined, [0.6, 0.98]])
    expect(duels).toHaveLength(strengths.length - 1)
    for (const side of [0, 1] as const) {
      const won = [...games.values()].reduce((sum, each) => sum + each[side], 0)
      expect(won).toBeGreaterThan(0)
    }
  })
})
