/*
 * The whole chain of an attack, by real validators on a fake clock: a liar's bucket is fast to some
 * and takes 29 s a block to a victim, which so comes late to the next epoch's state, and misses its
 * attestation; in that epoch's last block the liar's own contender leaves, for the next duel to
 * begin without the victim. Before, the victim was in epoch 1 until epoch 3: it missed seal and
 * attestation of epoch 2, which was frozen, and nobody with its 36 % voted in the next duel.
 * Protocol §6.4: after two seconds the next bucket is asked, attesters first, and a bucket is waited
 * for 90 seconds in all. Each of the three is enough here.
 */
import { expect, test, vi } from 'vitest'
import { LIMITS } from '../../packages/blocks/src/index.ts'
import { account } from '../../packages/chain/src/index.ts'
import { withQuota } from '../../packages/duel/test/subnet.ts'
import { commitmentsOf, snapshotBlock } from '../../packages/settlement/src/index.ts'
import { bytesOf } from '../simulate/draw.ts'
import type { Fault } from '../simulate/faults.ts'
import { simulate, type Underway } from '../simulate/simulation.ts'
import { drawWorld, type Move, type World } from '../simulate/world.ts'

vi.mock(
  '../../packages/chain/node_modules/@scure/sr25519',
  () => import('../simulate/quick-keys.ts'),
)
vi.mock(
  '../../packages/chain/node_modules/@polkadot/wasm-crypto/index.js',
  () => import('../simulate/quick-keys.ts'),
)

// An epoch of 15 blocks is short, so a lane has to have as many blocks as a long one: eight.
Object.assign(LIMITS, { blockSamples: 2 })
const QUOTA = 16
const LEFT_IN = 2
const [VICTIM, LIAR] = [0, 1]

const drawn = drawWorld(5, 4)
const { 'mult8@0.1.0': mult8 } = drawn.protocol.envs
if (mult8 === undefined) throw new Error('mult8 is played')
const one = { ...drawn.protocol, envs: { 'mult8@0.1.0': mult8 }, duelEpochs: 8 }
const protocol: World['protocol'] = withQuota(one, QUOTA, QUOTA)
const leaving: Move = { block: snapshotBlock(LEFT_IN + 1, protocol), strength: null }
const strengths: readonly (readonly Move[])[] = [
  [{ block: 1, strength: 0.5 }],
  [{ block: 2, strength: 0.5 }, leaving],
  [{ block: 3, strength: 0.05 }],
]
const world: World = {
  ...drawn,
  protocol,
  validators: drawn.validators.slice(0, 4),
  // The liar has 28 %, and with the other two more than half.
  stakes: [360, 280, 180, 180],
  skews: [0, 0, 0, 0],
  miners: strengths.map((moves, i) => ({
    account: account(bytesOf(5, 'miner', i)),
    registered: 0,
    moves,
  })),
}
const faults: readonly Fault[] = [{ who: LIAR, kind: 'lies', how: 'serves slowly' }]

test('a victim of a slow bucket attests each epoch, and the next duel begins with its vote', async () => {
  const attested: boolean[] = []
  let voters: Readonly<Record<string, number>> | undefined
  let champion: string | undefined
  const hotkey = world.validators[VICTIM]?.hotkey ?? ''
  const onBlock = async ({ chain, seats }: Underway) => {
    const { height } = chain
    const epoch = Math.floor(height / protocol.epochBlocks)
    if (height === snapshotBlock(epoch + 1, protocol)) {
      const said = commitmentsOf(await chain.snapshot(height)).get(hotkey)
      attested.push(said?.kind === 'attest' && said.epoch === epoch)
    }
    const { state } = seats[LIAR]?.validator ?? {}
    if (state?.epoch !== LEFT_IN + 1) return
    voters = state.duel?.weights
    champion = state.champion?.hotkey
  }
  const { violation } = await simulate(world, faults, onBlock)
  expect({ violation, attested, voters, champion }).toEqual({
    violation: undefined,
    attested: [true, true, true, true, true],
    voters: expect.objectContaining({ [hotkey]: 1_000_000 }),
    champion: world.miners[0]?.account.hotkey,
  })
})
