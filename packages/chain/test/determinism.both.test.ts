import { canonicalize, type Json } from '@affine/prng'
import { expect, test } from 'vitest'
import vector from '../../../vectors/chain/log.json' with { type: 'json' }
import { LocalChain } from '../src/index.ts'
import { scenario } from './scenario.ts'

const text = vector.log.map((line) => `${canonicalize(line as Json)}\n`).join('')

test('the same calls and randomness make the same log everywhere', async () => {
  const { chain, refusals } = await scenario()
  expect(chain.export()).toBe(text)
  expect(refusals).toEqual(vector.want.refusals)
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
})
