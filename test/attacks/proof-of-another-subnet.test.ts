import { expect, test } from 'vitest'
import { readBlock, sampleProof, verifySampleProof } from '../../packages/blocks/src/index.ts'
import { verify } from '../../packages/chain/src/index.ts'
import { laneScope, readSeals } from '../../packages/settlement/src/index.ts'
import { OneLiar } from './one-liar.ts'
import { hotkeys, type Written } from './reading-subnet.ts'

// Protocol §6.6: a reader compares genesis, netuid, validator and epoch with what it knows, not
// with the proof. Here the liar seals the very block from elsewhere, so that the head fits it.
type Elsewhere = (subnet: OneLiar) => Promise<Written>

/** A proof of the first sample, checked against what the chain says, and what the epoch comes to. */
async function proving(blockOf: Elsewhere) {
  const subnet = new OneLiar()
  const { chain, liar, honest } = subnet
  const state = await subnet.state
  const { hash, bytes } = await blockOf(subnet)
  subnet.put({ hash, bytes })
  await subnet.seal(liar, state, hash)
  await subnet.beHonest()
  await subnet.attest(liar, state, hotkeys(subnet.voters))
  const read = readBlock(bytes, { hash, verify })
  const scope = await laneScope(chain, state, liar.hotkey)
  const head = (await readSeals(chain, state))[liar.hotkey]
  if (!read.ok || scope === null || head === undefined) throw new Error('no lane')
  const proof: unknown = JSON.parse(JSON.stringify(sampleProof(read.value, 0)))
  const proved = verifySampleProof(proof, { head, scope, verify })
  return { proved, liar, honest, ...(await subnet.outcome()) }
}

const saying =
  (header: { genesis?: string; netuid?: number; epoch?: number }): Elsewhere =>
  async (subnet) =>
    subnet.lane(subnet.liar, await subnet.state, { header })

test('a proof of what was sealed here holds', async () => {
  const { proved, flaws } = await proving(saying({}))
  expect([proved.ok, flaws]).toEqual([true, []])
})

test.each<readonly [member: string, blockOf: Elsewhere]>([
  ['genesis', saying({ genesis: '9f'.repeat(32) })],
  ['netuid', saying({ netuid: 121 })],
  ['epoch', saying({ epoch: 3 })],
  ['validator', async (subnet) => subnet.lane(subnet.honest[0], await subnet.state)],
])('one of another %s is refused, and the lane that it is from is void', async (...attack) => {
  const [member, blockOf] = attack
  const { proved, liar, honest, flaws, accepted } = await proving(blockOf)
  const detail = expect.stringMatching(`^${member}: expected `)
  expect(proved).toEqual({ ok: false, code: 'BAD_PROOF', detail })
  expect(flaws).toEqual([`WRONG_SCOPE ${liar.hotkey}`])
  expect(accepted).toEqual(new Set(hotkeys(honest)))
})
