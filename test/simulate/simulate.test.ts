import { describe, expect, it, vi } from 'vitest'
import { streamOf } from './draw.ts'
import { drawFaults, type Fault, LIES } from './faults.ts'
import { shrink } from './shrink.ts'
import { type Ran, simulate } from './simulation.ts'
import { drawWorld } from './world.ts'

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

  it('repeats with its seed', async () => {
    expect(await run(17, 4)).toEqual(await run(17, 4))
  })
})

it('shrinks a list of faults to those that it takes', async () => {
  const faults = LIES.map((how, who): Fault => ({ kind: 'lies', who, how }))
  const needed = [faults[2], faults[7]]
  const few = await shrink(faults, async (some) => needed.every((each) => some.includes(each!)))
  expect(few).toEqual(needed)
})
