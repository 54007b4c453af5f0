import { describe, expect, it, vi } from 'vitest'
import type { Duel, Miner } from '../../packages/duel/src/index.ts'
import type { DuelEnd } from './check.ts'
import { streamOf } from './draw.ts'
import { drawFaults, type Fault } from './faults.ts'
import { strengthOf } from './miners.ts'
import { type RunningWorld, type RunResult, simulate } from './simulation.ts'
import { drawWorld, type Player, type World } from './world.ts'

vi.mock('../../packages/chain/node_modules/@scure/sr25519', () => import('./quick-keys.ts'))
vi.mock(
  '../../packages/chain/node_modules/@polkadot/wasm-crypto/index.js',
  () => import('./quick-keys.ts'),
)

/** Runs the world of a seed with the faults drawn from the same seed. */
function run(seed: number, epochs: number): Promise<RunResult> {
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

/** A world in which a far better contender challenges the first champion. */
const dethroningWorld = (epochs: number): World => worldOf([0.05, 0.95], epochs)

/** Returns the games that each player of a duel has won, the stronger player first. */
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
  it('keeps every promise, with the same result in a second run: seed 3', async () => {
    const ran = await run(3, 6)
    expect(ran.violation).toBeUndefined()
    expect(await run(3, 6)).toEqual(ran)
  })

  // Readers once awaited a block from its lane's validator before requesting it from others, so
  // that the lanes of slow validators delayed the next epoch.
  it('counts every honest lane when buckets of liars are slow for half of the readers', async () => {
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

  it('dethrones the champion during or after a long outage, no earlier than without it', async () => {
    // The outage is longer than a duel may last.
    const [epochs, outs] = [7, [1, 4]]
    const [wonWithout = Number.NaN] = epochsWon((await simulate(dethroningWorld(6), [])).duels)
    const world = dethroningWorld(epochs + 6)
    const [from, to] = [20, 20 + epochs * world.protocol.epochBlocks]
    for (const out of outs) {
      const faults = [0, 1, 2, 3]
        .slice(0, out)
        .map((who): Fault => ({ kind: 'absent', who, from, to }))
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

  it.each([
    // The weaker contenders are nearly as good at Hex: their duels end after 32 games each, so the
    // stronger players need not have won more games.
    { strengths: [0.6, 0.98, 0.05, 0.3], epochs: 4, thrones: [0.6, 0.98], ahead: 0 },
  ])(
    'crowns the best miner of all when games are played: $strengths',
    async ({ strengths, epochs, thrones, ahead }) => {
      const world = worldOf(strengths, epochs)
      const seen: number[] = []
      const games = new Map<string, readonly [better: number, worse: number]>()
      const observe = async ({ seats: [seat] }: RunningWorld): Promise<void> => {
        const { champion, duels = [] } = seat?.validator?.state ?? {}
        if (champion === undefined) return
        if (seen.at(-1) !== strengthOf(world, champion)) seen.push(strengthOf(world, champion))
        for (const duel of duels) games.set(duel.contender.hotkey, gamesOf(world, champion, duel))
      }
      const { violation, duels } = await simulate(world, [], observe)
      expect([violation, seen]).toEqual([undefined, thrones])
      expect(duels).toHaveLength(strengths.length - 1)
      const sum = (which: 0 | 1) => [...games.values()].reduce((all, each) => all + each[which], 0)
      expect(sum(0)).toBeGreaterThan(ahead * sum(1))
      expect(sum(1)).toBeGreaterThan(0)
    },
  )
})
