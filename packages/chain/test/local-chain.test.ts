import { expect, test } from 'vitest'
import { account, LocalChain } from '../src/index.ts'

const seed = (n: number) => new Uint8Array(32).fill(n)
test('smoke', async () => {
  const [a, b] = [account(seed(1)), account(seed(2))]
  let n = 0
  const chain = LocalChain.create({
    netuid: 120,
    random: () => seed(n++),
    neurons: [
      { hotkey: a.hotkey, stake: 10n ** 15n },
      { hotkey: b.hotkey, stake: 0n },
    ],
    params: { tempo: 5 },
  })
  const p = chain.commit(a, [seed(4)])
  const q = chain.setWeights(a, [[1, 1]])
  const r = chain.setWeights(b, [[0, 1]]).catch((e) => e)
  await chain.produce(1000)
  console.log(await p, await q, await r)
  console.log(await chain.snapshot(1), await chain.weights(1), await chain.snapshot(0))
  const text = chain.export()
  console.log(text)
  expect(LocalChain.import(text).export()).toBe(text)
})
