import type { Protocol } from '@affine/duel'
import { expect, test } from 'vitest'
import {
  findConstants,
  findNetwork,
  findNetworkByGenesis,
  LOCAL_NETWORK,
  NETWORKS,
} from '../src/index.ts'

const { finney } = NETWORKS

test('finds a network by its name, also if node URLs follow after a comma', () => {
  expect(findNetwork('finney')).toBe(finney)
  expect(findNetwork('finney,wss://node.example')).toBe(finney)
  for (const where of ['', 'Finney', 'wss://node.example,finney', 'toString', '__proto__'])
    expect(findNetwork(where)).toBeUndefined()
})

test('finds a network by its genesis, and the local network for any other genesis', () => {
  for (const network of Object.values(NETWORKS))
    if (network.genesis) expect(findNetworkByGenesis({ genesis: network.genesis })).toBe(network)
  const local = { genesis: '00'.repeat(32) }
  expect(findNetworkByGenesis(local)).toBe(LOCAL_NETWORK)
  const { 'mult8@0.1.0': mult8 } = LOCAL_NETWORK.protocol.envs
  const envs = mult8 && { 'mult8@0.1.0': mult8 }
  expect(findNetworkByGenesis({ ...local, envs })).toEqual({
    ...LOCAL_NETWORK,
    protocol: { ...LOCAL_NETWORK.protocol, envs },
  })
})

test('finds the constants of an epoch', () => {
  const { protocol } = LOCAL_NETWORK
  const [first, second] = [1, 2].map((cap) => ({ ...protocol, cap })) as [Protocol, Protocol]
  const earlier = [
    { until: 3, protocol: first },
    { until: 5, protocol: second },
  ]
  const caps = [2, 3, 4, 5].map((epoch) => findConstants({ ...LOCAL_NETWORK, earlier }, epoch).cap)
  expect(caps).toEqual([1, 2, 2, protocol.cap])
  expect(findConstants(LOCAL_NETWORK, 0)).toBe(protocol)
})
