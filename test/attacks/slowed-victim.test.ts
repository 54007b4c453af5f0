/*
 * The complete attack with real validators on a fake clock: a liar's bucket sends blocks to a
 * victim in 29 s each, so that the victim is late and the liar can freeze epochs. Protocol §6.4:
 * after two seconds a reader continues with the next bucket, attesters first, and it waits 90
 * seconds in total for a bucket. Each of these three rules is enough here.
 */
import { expect, test, vi } from 'vitest'
import { LIMITS } from '../../packages/blocks/src/index.ts'
import { constantsOf, MULT8, withQuota } from '../../packages/duel/test/subnet.ts'
import { decodeCommitments, snapshotBlock } from '../../packages/settlement/src/index.ts'
import type { Fault } from '../simulate/faults.ts'
import { type RunningWorld, simulate } from '../simulate/simulation.ts'
import { type World, worldOf } from '../simulate/world.ts'

vi.mock(
  '../../packages/chain/node_modules/@scure/sr25519',
  () => import('../simulate/quick-keys.ts'),
)
vi.mock(
  '../../packages/chain/node_modules/@polkadot/wasm-crypto-wasm/cjs/bytes.js',
  () => import('../simulate/quick-keys.ts'),
)

// With two samples a block, a lane of these short epochs has eight blocks, as in long epochs.
Object.assign(LIMITS, { blockSamples: 2 })
const QUOTA = 16
const [VICTIM, LIAR] = [0, 1]

const drawn = worldOf([0.5, 0.5, 0.05], 3)
const envs = { [MULT8]: constantsOf(MULT8) }
const protocol = withQuota({ ...drawn.protocol, envs, duelEpochs: 8 }, QUOTA)
// The liar has 28 % of the stake, and more than half together with the last two validators.
const world: World = { ...drawn, protocol, stakes: [360, 280, 180, 180] }
const faults: readonly Fault[] = [{ who: LIAR, kind: 'lies', how: 'serves slowly' }]

test('lets a victim of a slow bucket seal and attest each epoch, and freezes none', async () => {
  const attested: boolean[] = []
  const hotkey = world.validators[VICTIM]?.hotkey ?? ''
  const onBlock = async ({ chain }: RunningWorld) => {
    const { height } = chain
    const epoch = Math.floor(height / protocol.epochBlocks)
    if (height !== snapshotBlock(epoch + 1, protocol)) return
    const commitment = decodeCommitments(await chain.snapshot(height)).get(hotkey)
    attested.push(commitment?.kind === 'attest' && commitment.epoch === epoch)
  }
  const { violation, frozen } = await simulate(world, faults, onBlock)
  const each = attested.map(() => true)
  expect({ violation, frozen, attested }).toEqual({ frozen: 0, attested: each })
  expect(attested).toHaveLength(4)
})
