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
