import { canonicalize, type Json } from '@affine/prng'
import { expect, test } from 'vitest'
import vector from '../../../vectors/chain/log.json' with { type: 'json' }
import { LocalChain } from '../src/index.ts'
import { scenario } from './scenario.ts'

const text = vector.log.map((line) => `${canonicalize(line as Json)}\n`).join('')

test('makes the same log from the same calls and randomness on every platform', async () => {
  const { chain, refusals } = await scenario()
  expect(chain.export()).toBe(text)
  expect(refusals).toEqual(vector.want.refusals)
})

test('replays a log to the same state on every platform', async () => {
  const chain = LocalChain.import(text)
  expect(await chain.head()).toEqual(vector.want.head)
  const { neurons, commitments } = await chain.snapshot(chain.height)
  expect(neurons.map((neuron) => ({ ...neuron, stake: `${neuron.stake}` }))).toEqual(
    vector.want.neurons,
  )
  expect(commitments.map(({ hotkey, block }) => [hotkey, block])).toEqual(vector.want.commitments)
  expect(await chain.weights(chain.height)).toEqual(vector.want.weights)
})
