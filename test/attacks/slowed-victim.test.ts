/*
 * The complete attack with real validators on a fake clock: a liar's bucket sends blocks to a
 * victim in 29 s each, so that the victim is late and the liar can freeze epochs. Protocol §6.4:
 * after two seconds a reader continues with the next bucket, attesters first, and it waits 90
 * seconds in total for a bucket. Each of these three rules is enough here.
 */
import { expect, test, vi } from 'vitest'
import { LIMITS } from '../../packages/blocks/src/index.ts'
import { account } from '../../packages/chain/src/index.ts'
import { withQuota } from '../../packages/duel/test/subnet.ts'
import { decodeCommitments, snapshotBlock } from '../../packages/settlement/src/index.ts'
import { bytesOf } from '../simulate/draw.ts'
import type { Fault } from '../simulate/faults.ts'
import { type RunningWorld, simulate } from '../simulate/simulation.ts'
import { drawWorld, type World } from '../simulate/world.ts'

vi.mock(
  '../../packages/chain/node_modules/@scure/sr25519',
  () => import('../simulate/quick-keys.ts'),
)
vi.mock(
  '../../packages/chain/node_modules/@polkadot/wasm-crypto/index.js',
  () => import('../simulate/quick-keys.ts'),
)

// With two samples a block, a lane of these short epochs has eight blocks, as in long epochs.
Object.assign(LIMITS, { blockSamples: 2 })
const QUOTA = 16
const [VICTIM, LIAR] = [0, 1]

const drawn = drawWorld(5, 3)
const { 'mult8@0.1.0': mult8 } = drawn.protocol.envs
if (mult8 === undefined) throw new Error('mult8 is played')
const one = { ...drawn.protocol, envs: { 'mult8@0.1.0': mult8 }, duelEpochs: 8 }
const protocol: World['protocol'] = withQuota(one, QUOTA, QUOTA)
const strengths = [0.5, 0.5, 0.05]
const world: World = {
  ...drawn,
  protocol,
  validators: drawn.validators.slice(0, 4),
  // The liar has 28 % of the stake, and more than half together with the last two validators.
  stakes: [360, 280, 180, 180],
  skews: [0, 0, 0, 0],
  miners: strengths.map((strength, i) => ({
    account: account(bytesOf(5, 'miner', i)),
    registered: 0,
    moves: [{ block: i + 1, strength }],
  })),
}
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
