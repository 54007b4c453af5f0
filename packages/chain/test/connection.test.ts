import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { FinalBlocks } from '../src/bittensor/final-blocks.ts'
import type { Nodes } from '../src/bittensor/nodes.ts'
import { subtensor } from '../src/bittensor/subtensor.ts'
import { ChainError, type Head } from '../src/index.ts'
import { type FakeNode, type FakeNodeOptions, fakeNode, GENESIS, hashOf } from './fake-node.ts'
import messages from './node-messages.json' with { type: 'json' }

const ended: (() => Promise<void>)[] = []
let retries: string[] = []
/** Time limits of a minute or more. They end only if a test calls them. */
let limits: (() => void)[] = []

// Divides pauses and shorter time limits by 20. Sockets use real time.
beforeAll(() => {
  const { setTimeout } = globalThis
  vi.stubGlobal('setTimeout', (task: () => void, ms = 0, ...args: []) => {
    if (ms >= 60_000) limits.push(task)
    return setTimeout(ms < 60_000 ? task : () => {}, ms / 20, ...args)
  })
})
afterAll(() => vi.unstubAllGlobals())
beforeEach(() => {
  retries = []
  limits = []
  vi.spyOn(console, 'error').mockReturnValue() // the library prints its error and throws it
})
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(ended.splice(0).map((end) => end()))
})

async function node(options?: FakeNodeOptions): Promise<FakeNode> {
  const node = await fakeNode(options)
  ended.push(() => node.stop())
  return node
}

/** Resolves with the URL of a stopped node. */
async function nobody(): Promise<string> {
  const gone = await node()
  await gone.stop()
  return gone.url
}

/** Maximum time of a node for one task. One answer may take a third of this time. */
const STALL_MS = 180_000

function connect(nodes: readonly (string | FakeNode)[], settings: Partial<Nodes> = {}) {
  const onRetry = ({ message }: Error) => void retries.push(message)
  const endpoints = nodes.map((node) => (typeof node === 'string' ? node : node.url))
  const defaults = { genesis: GENESIS, stallMs: STALL_MS }
  const blocks = new FinalBlocks({ endpoints, onRetry, ...defaults, ...settings })
  ended.push(() => blocks.close())
  return blocks
}

/** Waits for a block that the second node has, and `first` does not have yet. */
async function startWaiting() {
  const [first, second] = [await node(), await node({ head: 6 })]
  const blocks = connect([first, second])
  await blocks.head()
  const waiting = blocks.reach(6)
  await expect.poll(() => first.asked).toContain('chain_subscribeFinalizedHeads')
  return { first, waiting }
}

const refused = (code: number, message: string, data?: unknown) => ({
  error: { code, message, data },
})
const head = (number: number): Head => ({ number, hash: hashOf(number) })
const unreachable = (...names: string[]) => ({
  name: 'ChainError',
  code: 'Unreachable',
  message: expect.stringMatching(new RegExp(names.join('.*'))),
})

describe('a connection', () => {
  test('reads blocks without compression, and addresses with the prefix of wallets', async () => {
    const only = await node({ head: 8 })
    const blocks = connect([only])
    expect([await blocks.head(), blocks.genesis]).toEqual([head(8), GENESIS])
    expect(await blocks.use(async ({ registry }) => registry.chainSS58)).toBe(42)
    expect([only.extensions, retries]).toEqual([[''], []])
  })

  test('tries all nodes in order, three times over, before it rejects', async () => {
    const urls = [await nobody(), await nobody()]
    await expect(connect(urls).head()).rejects.toMatchObject({
      ...unreachable('no node answers at', urls[1]!, 'REFUSED'),
      node: urls[1],
    })
    expect(retries).toEqual([0, 1, 0, 1, 0].map((i) => expect.stringContaining(urls[i]!)))
  })

  test.each(['ws://no host', 'ws://127.0.0.1:65536', 'wss://127.0.0.1:1/#here', 'finney', ''])(
    'rejects %j, which is not the URL of a node',
    async (url) => {
      await expect(connect([url]).head()).rejects.toMatchObject(unreachable(url))
    },
  )

  test('rejects immediately for a node of another chain, without another request', async () => {
    const [other, good] = [await node({ genesis: 'cd'.repeat(32) }), await node()]
    await expect(connect([other, good]).head()).rejects.toMatchObject({
      code: 'WrongGenesis',
      detail: expect.stringMatching(`^${other.url} .* ${'cd'.repeat(32)}, expected ${GENESIS}$`),
    })
    expect([retries, good.connections.opened]).toEqual([[], 0])
    expect(other.asked).toEqual(['chain_getBlockHash 0'])
    await expect.poll(() => other.connections.open).toBe(0)
  })

  test('by default, requires the genesis of the first node that answers', async () => {
    const [first, second] = [await node({ genesis: 'cd'.repeat(32) }), await node()]
    const blocks = connect([first, second], { genesis: undefined })
    expect(await blocks.head()).toMatchObject({ number: 5 })
    expect(blocks.genesis).toBe('cd'.repeat(32))
    await first.stop()
    await expect(blocks.head()).rejects.toMatchObject({ code: 'WrongGenesis' })
  })

  test('skips nodes without block 0', async () => {
    const answers = [null, '', '0x12', 12, {}, '\u{1b}[2J', `0x${'AB'.repeat(32)}`]
    const bad = await Promise.all(answers.map(() => node()))
    for (const [i, result] of answers.entries())
      bad[i]!.replies.chain_getBlockHash = () => ({ result })
    const blocks = connect([...bad, await node()], { genesis: undefined })
    expect(await blocks.head()).toEqual(head(5))
    expect(blocks.genesis).toBe(GENESIS)
    const wanted = bad.map(({ url }) => expect.stringContaining(`${url}: the node does not know`))
    expect(retries).toEqual(wanted)
  })

  test('tries each node three times if none answers within a third of `stallMs`', async () => {
    const [deaf, mute] = [await node(), await node()]
    deaf.isSilent = true
    mute.replies.chain_getFinalizedHead = () => null
    const blocks = connect([deaf, mute], { stallMs: STALL_MS / 6 })
    await expect(blocks.head()).rejects.toMatchObject(unreachable('did not answer within 10 s'))
    expect(retries).toEqual(Array(5).fill(expect.stringContaining('did not answer within 10 s')))
    expect([deaf, mute].map(({ connections }) => connections.opened)).toEqual([3, 3])
  })

  test('shares one connection among concurrent tasks, and reconnects if the node disconnected', async () => {
    const only = await node()
    const blocks = connect([only])
    const results = [blocks.head(), blocks.head(), blocks.blockHash(3), blocks.blockHash(0)]
    expect(await Promise.all(results)).toEqual([head(5), head(5), hashOf(3), GENESIS])
    expect(only.connections.opened).toBe(1)
    only.drop()
    only.finalize(6)
    expect(await blocks.head()).toEqual(head(6))
    expect(only.connections.opened).toBe(2)
  })

  test('replaces a node immediately if it disconnects during a wait for a block', async () => {
    const { first, waiting } = await startWaiting()
    await first.stop()
    await waiting
    expect(retries).toEqual([expect.stringContaining('was lost')])
  })

  test('replaces a node that refuses a read', async () => {
    const [first, second] = [await node(), await node({ head: 6 })]
    first.replies.chain_getFinalizedHead = () =>
      refused(-32000, 'not\u{1b}[2J today', ['nor tomorrow'])
    expect(await connect([first, second]).head()).toEqual(head(6))
    expect(retries).toEqual([
      expect.stringMatching(/^BadReply: .*: -32000: not\?\[2J today: \["nor tomorrow"\]$/),
    ])
  })

  test("rethrows a task's ChainError unchanged, without replacing the node", async () => {
    const only = await node()
    const blocks = connect([only])
    const own = new ChainError('DrandBehind')
    for (const _ of [1, 2]) await expect(blocks.use(() => Promise.reject(own))).rejects.toBe(own)
    expect([retries, only.connections.opened]).toEqual([[], 1])
  })

  test("reconnects after an upgrade of the node's runtime, and not before", async () => {
    const only = await node()
    const blocks = connect([only])
    await blocks.head()
    const { specVersion } = await blocks.use(async ({ runtimeVersion }) => runtimeVersion)
    const news = (specVersion: number) =>
      only.say(JSON.stringify({ params: { subscription: 'v1', result: { specVersion } } }))
    news(specVersion.toNumber())
    await blocks.head()
    expect(only.connections.opened).toBe(1)
    news(specVersion.toNumber() + 1)
    await expect.poll(() => only.connections.open).toBe(0)
    await blocks.head()
    expect(only.connections.opened).toBe(2)
  })
})

describe('closing a connection', () => {
  const closed = unreachable('this program closed')

  test('ends a pause between two attempts', async () => {
    const blocks = connect([await nobody()])
    const using = blocks.use(async () => 'connected', new AbortController().signal)
    await expect.poll(() => retries.length).toBeGreaterThan(2)
    await blocks.close()
    await expect(using).rejects.toMatchObject(closed)
  })

  test('ends a wait for a block or an answer', async () => {
    const silent = await node()
    const blocks = connect([silent])
    const waiting = blocks.reach(6)
    await expect.poll(() => silent.asked).toContain('chain_subscribeFinalizedHeads')
    silent.isSilent = true
    const asking = blocks.head()
    await blocks.close()
    for (const promise of [waiting, asking]) await expect(promise).rejects.toMatchObject(closed)
  })
})

describe('final blocks', () => {
  /** Resolves with the next `count` heads. */
  async function take(heads: AsyncIterator<Head>, count: number): Promise<Head[]> {
    const taken: Head[] = []
    while (taken.length < count) taken.push((await heads.next()).value)
    return taken
  }
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => head(from + i))

  test('yields heads without gaps, although a node announces only the last', async () => {
    const only = await node({ head: 5 })
    const heads = connect([only]).heads()
    expect(await take(heads, 1)).toEqual(range(5, 5))
    only.finalize(9)
    only.finalize(12)
    expect(await take(heads, 7)).toEqual(range(6, 12))
    const next = take(heads, 1)
    only.finalize(13)
    expect(await next).toEqual(range(13, 13))
    await heads.return()
  })

  test('continues with the next node if one announces no more heads', async () => {
    const [first, second] = [await node(), await node({ head: 8 })]
    const heads = connect([first, second]).heads()
    expect(await take(heads, 1)).toEqual(range(5, 5))
    const next = take(heads, 3)
    await expect.poll(() => first.asked).toContain('chain_subscribeFinalizedHeads')
    for (const end of limits) end()
    expect(await next).toEqual(range(6, 8))
    expect(retries).toEqual([expect.stringContaining('did not answer within 180 s')])
  })

  test('begins with the next node if the first announces a block that it does not have', async () => {
    const [high, honest] = [await node({ head: 6 }), await node({ head: 5 })]
    high.replies.chain_getBlockHash = (number) => (number === 6 ? { result: null } : undefined)
    const heads = connect([high, honest]).heads()
    expect(await take(heads, 1)).toEqual(range(5, 5))
    honest.finalize(7)
    expect(await take(heads, 2)).toEqual(range(6, 7))
    expect(retries).toEqual([expect.stringContaining('not have block 6')])
  })

  test('reconnects while a node lacks the hash of its last block', async () => {
    const only = await node()
    const blocks = connect([only])
    const heads = blocks.heads()
    await take(heads, 1)
    let requests = 0
    only.replies.chain_getBlockHash = (number) =>
      number === 6 && ++requests <= 2 ? { result: null } : undefined
    only.finalize(6)
    expect(await take(heads, 1)).toEqual(range(6, 6))
    expect(retries).toEqual(Array(2).fill(expect.stringContaining('not have block 6')))
    expect(await blocks.reach(6)).toEqual(head(6))
  })

  test('waits until the next node has finalised a block that a stopped node announced', async () => {
    const [first, behind] = [await node({ head: 8 }), await node({ head: 6 })]
    const fork = { result: `0x${'cd'.repeat(32)}` }
    behind.replies.chain_getBlockHash = (number) => (number === 8 ? fork : undefined)
    const onRetry = ({ message }: Error): void => {
      if (!message.includes('not have block 8')) return
      delete behind.replies.chain_getBlockHash
      behind.finalize(8)
    }
    const blocks = connect([first, behind], { onRetry })
    await blocks.head()
    await first.stop()
    expect(await blocks.blockHash(8)).toBe(hashOf(8))
  })

  test('ends when the signal aborts before the first head or during a wait', async () => {
    const only = await node()
    const blocks = connect([only])
    expect(await blocks.heads(AbortSignal.abort()).next()).toEqual({ value: undefined, done: true })
    expect(only.connections.opened).toBe(0)
    const stop = new AbortController()
    const heads = blocks.heads(stop.signal)
    await take(heads, 1)
    const next = heads.next()
    await expect.poll(() => only.asked).toContain('chain_subscribeFinalizedHeads')
    stop.abort()
    expect(await next).toEqual({ value: undefined, done: true })
    await expect.poll(() => only.asked.at(-1)).toMatch('chain_unsubscribeFinalizedHeads')
    await blocks.use(async () => 'still there')
    expect([only.connections.opened, retries]).toEqual([1, []])
  })

  test('reject a request for the hash of a number that no final block has', async () => {
    const blocks = connect([await node()])
    for (const number of [-1, 0.5, Number.NaN, 2 ** 53, 6])
      await expect(blocks.blockHash(number)).rejects.toMatchObject({ code: 'UnknownBlock' })
  })
})

test('a node that refuses state_subscribeRuntimeVersion is replaced by the next', async () => {
  const refusing = await node()
  refusing.replies.state_subscribeRuntimeVersion = () => refused(-32601, 'Method not found')
  const blocks = connect([refusing, await node({ head: 6 })])
  await blocks.use(() => blocks.reach(6))
  expect(await blocks.head()).toEqual(head(6))
})

describe('a malformed message', () => {
  test.each(['state_getMetadata', 'state_getRuntimeVersion', 'rpc_methods'])(
    'replaces the node if it is the answer to %s',
    async (method) => {
      const bad = await node()
      bad.replies.state_call = () => refused(-32601, 'Method not found')
      bad.replies[method] = () => ({ result: 12 })
      expect(await connect([bad, await node()]).head()).toEqual(head(5))
      expect(retries).toEqual([expect.stringMatching(`^Unreachable: .*${bad.url}`)])
    },
  )

  // node-socket.test.ts has the messages of any kind.
  test.each([null, { number: '0xffffffffffffffff' }, { number: 'six' }])(
    'replaces the node if it is the notification of the block %j',
    async (result) => {
      const { first: bad, waiting } = await startWaiting()
      bad.say(JSON.stringify({ jsonrpc: '2.0', params: { subscription: 'h2', result } }))
      await waiting
      const unreadable = /^Unreachable: the node sent an unreadable message: [ -~]{0,300}$/
      expect(retries).toEqual([expect.stringMatching(unreadable)])
    },
  )

  // node-message.test.ts has other metadata that is too large.
  test('replaces the node if its metadata has too many types', async () => {
    const answer = '0x6d6574610e0540'
    const [plain, opaque] = [await node(), await node()]
    plain.replies.state_call = () => refused(-32601, 'Method not found')
    for (const bad of [plain, opaque]) bad.replies.state_getMetadata = () => ({ result: answer })
    opaque.replies.state_call = (method) =>
      method === 'Metadata_metadata_versions' ? undefined : { result: answer }
    expect(await connect([plain, opaque, await node()]).head()).toEqual(head(5))
    const left = expect.stringContaining('4097 types')
    expect(retries).toEqual([left, left])
  })

  test('differs from unrequested messages, which are ignored', async () => {
    const only = await node()
    const blocks = connect([only])
    await blocks.head()
    const unrequested = [
      { id: 'nobody', result: 1 },
      { id: null, error: { code: -32700, message: 'Parse error' } },
      { id: 10 ** 6, error: { code: 1, message: 'what?' } },
      { params: { subscription: ['h2'], result: 7 } },
      {},
    ]
    for (const message of unrequested) only.say(JSON.stringify(message))
    expect(await blocks.head()).toEqual(head(5))
    expect([only.connections.opened, retries]).toEqual([1, []])
  })
})

describe('subtensor', () => {
  const open = (nodes: readonly FakeNode[]) =>
    subtensor({
      endpoints: nodes.map(({ url }) => url),
      genesis: GENESIS,
      netuid: 120,
      random: (size) => new Uint8Array(size),
      now: () => 0,
      stallMs: STALL_MS,
      onRetry: ({ message }) => void retries.push(message),
    })

  test('rejects with NotInRuntime for a chain without subnets, and disconnects', async () => {
    const other = await node()
    await expect(open([other])).rejects.toMatchObject({
      code: 'NotInRuntime',
      message: expect.stringMatching(/getSelectiveMetagraph|commitments\.commitmentOf/),
    })
    await expect.poll(() => other.connections.open).toBe(0)
  })

  /** Starts a node that returns the hash of block 3 for block 5, and lacks the state of block 2. */
  async function pruned(code: number, message: string): Promise<FakeNode> {
    const pruned = await node()
    pruned.replies.chain_getBlockHash = (number) =>
      number === 5 ? { result: `0x${hashOf(3)}` } : undefined
    pruned.replies.state_getRuntimeVersion = (at) =>
      at === `0x${hashOf(2)}` ? refused(code, message) : undefined
    return pruned
  }

  test.each([
    [4003, messages.forgotten.state],
    [4003, messages.forgotten.header],
    [-32000, messages.forgotten.block],
  ])('advises an archive node if no node has the block’s state: %i, %s', async (code, message) => {
    const detail = expect.stringMatching(/block 5: name an archive node/)
    const opening = open([await pruned(code, message)])
    await expect(opening).rejects.toMatchObject({ code: 'StateDiscarded', detail })
  })

  test('continues with an archive node if a node lacks the state of the block', async () => {
    const nodes = [await pruned(-32000, 'State already discarded'), await node()]
    await expect(open(nodes)).rejects.toMatchObject({ code: 'NotInRuntime' })
    expect(retries).toEqual([expect.stringContaining('StateDiscarded')])
  })
})
