import {
  type Account,
  account,
  type Commitment,
  encodeCommitment,
  type LocalChain,
} from '../src/index.ts'
import { alice, bob, bytes, charlie, codeOf, miner, noLimits, stranger, subnet } from './subnet.ts'

/**
 * Makes a few blocks with each kind of call. Resolves with the code of each refused call, and with
 * '' for each call in a block.
 */
export async function scenario(): Promise<{ chain: LocalChain; refusals: readonly string[] }> {
  const chain = subnet({
    params: { ...noLimits, tempo: 3, maxValidators: 2, weightsRateLimit: 2, maxUids: 5 },
    time: 1000,
  })
  const hash = 'ab'.repeat(32)
  const url = 'https://bucket.example/v1'
  const model = `org/model-${miner.hotkey}`
  const ended: Promise<string>[] = []
  const send = (...calls: Promise<unknown>[]) => ended.push(...calls.map(codeOf))
  const commit = (signer: Account, commitment: Commitment, until?: number) =>
    chain.commit(signer, encodeCommitment(commitment), until)
  send(
    commit(miner, { kind: 'miner', model, revision: 'main', chute: 'chute' }),
    commit(alice, { kind: 'seal', epoch: 0, head: hash, url }),
    chain.setWeights(bob, [
      [3, 40_000],
      [0, 1],
    ]),
    chain.setWeights(charlie, [[3, 1]]), // no permit
    chain.commit(stranger, [bytes(1)]), // not registered
  )
  await chain.produce(2000)
  const bitmap = new Uint8Array(16).fill(7)
  send(
    commit(alice, { kind: 'attest', epoch: 0, bitmap, next: hash, stateRoot: hash, url }, 9),
    chain.setWeights(bob, [[3, 1]]), // too fast
    chain.setWeights(bob, [[4, 1]]), // no such uid, too fast
  )
  await chain.produce(3000)
  await chain.produce(3000)
  send(chain.setWeights(bob, [[4, 1]]), chain.setWeights(charlie, [[2, 1]]))
  await chain.produce(4000)
  send(chain.register(stranger), chain.register(alice), chain.commit(stranger, [bytes(1)]))
  await chain.produce(5000)
  send(chain.register(account(bytes(6))))
  await chain.produce(6000)
  return { chain, refusals: await Promise.all(ended) }
}
