import { expect, test } from 'vitest'
import vector from '../../../vectors/chain/log.json' with { type: 'json' }
import { LocalChain } from '../src/index.ts'
import { scenario } from './scenario.ts'

const text = JSON.stringify(vector.log)

test('the same calls and randomness make the same log everywhere', async () => {
  expect((await scenario()).export()).toBe(text)
})

test('a log replays to the same state everywhere', async () => {
  const chain = LocalChain.import(text)
  expect(await chain.head()).toEqual(vector.want.head)
  const { neurons, commitments } = await chain.snapshot(chain.height)
  expect(neurons.map((neuron) => ({ ...neuron, stake: `${neuron.stake}` }))).toEqual(
    vector.want.neurons,
  )
  expect(commitments.map(({ hotkey, block }) => [hotkey, block])).toEqual(vector.want.commitments)
  expect(await chain.weights(chain.height)).toEqual(vector.want.weights)
  expect(vector.log.blocks.flatMap(({ calls }) => calls.map(([, refusal]) => refusal))).toEqual(
    vector.want.refusals,
  )
})
