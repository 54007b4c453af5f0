import { describe, expect, it, vi } from 'vitest'
import { streamOf } from './draw.ts'
import { drawFaults, type Fault } from './faults.ts'
import { strengthOf } from './miners.ts'
import { type RunningWorld, simulate } from './simulation.ts'
import { drawWorld, worldOf } from './world.ts'

vi.mock('../../packages/chain/node_modules/@scure/sr25519', () => import('./quick-keys.ts'))
vi.mock(
  '../../packages/chain/node_modules/@polkadot/wasm-crypto-wasm/cjs/bytes.js',
  () => import('./quick-keys.ts'),
)

/** A weak miner, the first champion, and a far better contender. */
const BETTER = [0.05, 0.95]

describe('a subnet', () => {
  it('keeps every promise, with the same result in a second run: seed 36', async () => {
    const world = drawWorld(36, 3)
    const faults = drawFaults(world, streamOf(36, 'faults'))
    const ran = await simulate(world, faults)
    expect(ran.violation).toBeUndefined()
    expect(await simulate(world, faults)).toEqual(ran)
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
    const wonAt = async (epochs: number, absent: number, to: number): Promise<number> => {
      const faults = Array.from({ length: absent }, (_, who): Fault => {
        return { kind: 'absent', who, from: 20, to }
      })
      const { violation, duels } = await simulate(worldOf(BETTER, epochs), faults)
      expect(violation).toBeUndefined()
      return duels.find(({ outcome }) => outcome === 'contender')?.epoch ?? Number.NaN
    }
    const without = await wonAt(3, 0, 20)
    // With one of four validators absent, epochs still count, without its lane.
    const withOne = await wonAt(4, 1, 60)
    expect(withOne - without).toBeGreaterThanOrEqual(0)
    expect(withOne - without).toBeLessThanOrEqual(1)
    // With all absent, no epoch counts. The outage of 7 epochs is longer than a duel may last.
    const withNone = await wonAt(10, 4, 20 + 7 * 15)
    expect(withNone - without).toBeGreaterThanOrEqual(1)
    expect(withNone - without).toBeLessThanOrEqual(8)
  })

  it('crowns the best miner of all when games are played', async () => {
    const strengths = [0.6, 0.98, 0.05, 0.3]
    const world = worldOf(strengths, 4)
    const thrones: number[] = []
    const observe = async ({ seats: [seat] }: RunningWorld): Promise<void> => {
      const { champion } = seat?.validator?.state ?? {}
      const strength = champion && strengthOf(world, champion)
      if (strength !== undefined && thrones.at(-1) !== strength) thrones.push(strength)
    }
    const { violation, duels } = await simulate(world, [], observe)
    expect([violation, thrones]).toEqual([undefined, [0.6, 0.98]])
    expect(duels).toHaveLength(strengths.length - 1)
  })
})
