import { ChainError, LocalChain, serveLocal } from '@affine/chain'
import { describe, expect, test } from 'vitest'
import {
  type Host,
  isOnline,
  LOCAL_NETWORK,
  NETWORK_HELP,
  NETWORKS,
  openChain,
  openLive,
} from '../src/index.ts'
import { NODE_HOST } from '../src/node/host.ts'

const random = () => new Uint8Array(32)
const chain = LocalChain.create({ netuid: 120, random })
const files: Readonly<Record<string, string>> = {
  'chain.json': chain.export(),
  'test,chain.json': chain.export(),
  'rubbish.json': '{}',
}
const host: Host = {
  random,
  now: () => 0,
  fetch,
  readText: async (path) => {
    const text = files[path]
    if (text === undefined) throw new Error('no such file')
    return text
  },
}

describe('a chain’s export', () => {
  test('is opened by its file’s name, with the rules of its genesis, and rejects another netuid', async () => {
    await using opened = await openChain('chain.json', host, { netuid: 120 })
    expect(opened.chain).toBeInstanceOf(LocalChain)
    expect(opened.chain.genesis).toBe(chain.genesis)
    expect(opened.network).toEqual(LOCAL_NETWORK)
    await using same = await openChain('chain.json', host)
    expect(same.chain.netuid).toBe(120)
    await expect(openChain('chain.json', host, { netuid: 121 })).rejects.toThrow(
      new RangeError('"netuid" expected 120, which chain.json has, got 121'),
    )
  })

  test('is rejected with a ChainError if it is malformed', async () => {
    await expect(openChain('rubbish.json', host)).rejects.toThrow(ChainError)
  })

  test('is rejected if it is not a regular file, with the reason', async () => {
    await expect(openChain('/dev/zero', NODE_HOST)).rejects.toThrow(
      /^"network" .*; got "\/dev\/zero": .* regular file$/,
    )
  })

  test('needs a first epoch if its network has none', async () => {
    const where = 'test,chain.json'
    await expect(openChain(where, host)).rejects.toThrow(
      new RegExp(`^"first-epoch" expected .* ${where} has no agreed first epoch$`),
    )
    await using opened = await openChain(where, host, { firstEpoch: 5 })
    expect(opened.network).toEqual({ ...NETWORKS.test, firstEpoch: 5 })
  })
})

test('opens a served chain as a live chain', async () => {
  const served = serveLocal(chain)
  const fetch: Host['fetch'] = async (url, init) => served(new Request(url, init))
  for (const where of ['http://127.0.0.1:9/', 'https://chain.example/']) {
    await using opened = await openLive(where, { ...host, fetch })
    expect(opened.chain.genesis).toBe(chain.genesis)
    expect(opened.network).toEqual(LOCAL_NETWORK)
  }
})

test.each([
  ...['', 'Finney', 'nowhere', './nowhere', 'file,ws://node.example'],
  ...['xhttp', 'ftp', 'xws'].map((scheme) => `${scheme}://node.example`),
])('rejects a text that names no chain, with the cause: %j', async (where) => {
  for (const open of [openChain, openLive])
    await expect(open(where, host)).rejects.toThrow(
      new RangeError(
        `"network" expected ${NETWORK_HELP}; got ${JSON.stringify(where)}: no such file`,
      ),
    )
})

test('knows whether a name is that of a live chain', () => {
  const live = ['finney', 'finney,test', 'ws://a.example,wss://b.example', 'http://127.0.0.1:9']
  expect(live.filter(isOnline)).toEqual(live)
  const others = ['chain.json', 'finney,chain.json', 'ws://a.example,http://b.example', 'http://[']
  expect(others.filter(isOnline)).toEqual([])
})

test('rejects an export where a live chain is expected', async () => {
  await expect(openLive('chain.json', host)).rejects.toThrow(
    new RangeError('"network" expected a live chain, got an export: "chain.json"'),
  )
})

test('rejects a chain with an environment that is not registered', async () => {
  const nim = { specHash: '0'.repeat(64), players: 1, quotaFirst: 1, quotaMost: 1 }
  const envs = { 'nim@0.1.0': nim }
  const text = LocalChain.create({ netuid: 120, random, envs }).export()
  const opening = openChain('chain.json', { ...host, readText: async () => text })
  await expect(opening).rejects.toThrow(/nim@0\.1\.0/)
})

test.each(['test', 'ws://node.example', 'wss://a.example, ws://b.example '])(
  'rejects nodes without a netuid: %j',
  async (where) => {
    await expect(openChain(where, host)).rejects.toThrow(`"netuid" is required: ${where} does not`)
  },
)
