import { NETWORKS, LOCAL_NETWORK as network } from '@affine/settlement'
import { expect, it } from 'vitest'
import { emits } from '../src/buckets/places.ts'

it('sends on finney when told to, elsewhere unless told not to', () => {
  const ways = [{}, { emit: true }, { dryRun: true }] as const
  const sends = (name: string) => ways.map((way) => emits({ ...network, ...NETWORKS[name] }, way))
  expect(sends('finney')).toEqual([false, true, false])
  for (const name of ['test', 'local']) expect(sends(name)).toEqual([true, true, false])
})
