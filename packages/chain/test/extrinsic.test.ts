import { blake2b } from '@noble/hashes/blake2.js'
import { Metadata, TypeRegistry } from '@polkadot/types'
import metadata, { version } from '@polkadot/types-support/metadata/static-substrate'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createCall, Sender } from '../src/bittensor/extrinsic.ts'
import { FinalBlocks } from '../src/bittensor/final-blocks.ts'
import { verify, verifyCall } from '../src/index.ts'
import { fakeNode, GENESIS, hashOf } from './fake-node.ts'
import { alice, bob, miner } from './subnet.ts'

const registry = new TypeRegistry()
registry.setMetadata(new Metadata(registry, metadata))
const HEAD = 100
const NONCE = 7

/** Events of System. */
const SUCCESS = [0, 0]
const FAILED_WITH_BAD_ORIGIN = [0, 1, 2]

/** Returns in hex a block's events: one outcome for each extrinsic, with weight 0 and no topics. */
const eventsOf = (...outcomes: readonly (readonly number[])[]) => {
  const events = outcomes.flatMap((event, i) => [0, i, 0, 0, 0, ...event, 0, 0, 0, 0, 0])
  return `0x${Buffer.from([4 * outcomes.length, ...events]).toString('hex')}`
}

let sender: Sender
/** The calls that were sent, and the calls of each block by number. */
let pool: string[]
let blocks: Record<number, readonly string[]>

// Reading this metadata takes most of the time, so the tests share a connection.
const node = await fakeNode({ head: HEAD, metadata })
const connection = new FinalBlocks({ endpoints: [node.url], genesis: GENESIS, stallMs: 180_000 })
beforeEach(() => {
  node.finalize(HEAD)
  sender = new Sender(connection)
  pool = []
  blocks = {}
  node.replies.system_accountNextIndex = (hotkey) => {
    const inPool = pool.filter((_, i) => sent(i).signer.toString() === hotkey)
    return { result: NONCE + inPool.length }
  }
  node.replies.author_submitExtrinsic = (hex) => {
    pool.push(String(hex))
    return { result: `0x${'00'.repeat(32)}` }
  }
  node.replies.chain_getBlock = (hash) => {
    const number = Object.keys(blocks).find((number) => `0x${hashOf(Number(number))}` === hash)
    return { result: { block: { extrinsics: number ? blocks[Number(number)] : [] } } }
  }
  node.replies.state_getStorage = () => ({ result: eventsOf(SUCCESS, SUCCESS) })
})
afterAll(async () => {
  await connection.close()
  await node.stop()
})

// The node has the runtime of another chain, without Bittensor's calls.
const remark = (size: number) => createCall('system.remark' as never, `0x${'07'.repeat(size)}`)
/** Decodes the call that was sent at an index. */
const sent = (i: number) => registry.createType('Extrinsic', pool[i])
const sentCalls = (count: number) => expect.poll(() => pool).toHaveLength(count)

/** Returns the payload of a call that was sent. */
function payloadOf(i: number, birth: number): Uint8Array {
  const { method, era, nonce } = sent(i)
  const { specVersion, transactionVersion } = version
  const [genesisHash, blockHash] = [GENESIS, hashOf(birth)].map((hash) => `0x${hash}`)
  const call = { method: method.toHex(), era, nonce, tip: 0, assetId: null }
  const chain = { specVersion, transactionVersion, genesisHash, blockHash }
  const payload = { ...call, ...chain, mode: 0, metadataHash: null }
  return registry.createType('ExtrinsicPayload', payload, { version: 4 }).toU8a({ method: true })
}
const signatureOf = (i: number) => sent(i).signature.toU8a()

test('signs a payload of up to 256 bytes, and the hash of a longer payload', async () => {
  sender.send(alice, remark(100)).catch(() => {})
  await sentCalls(1)
  // The call is a length in two bytes, then bytes: each lengthens the payload by one byte.
  const overhead = payloadOf(0, HEAD).length - 100
  for (const size of [256, 257]) sender.send(alice, remark(size - overhead)).catch(() => {})
  await sentCalls(3)
  expect([1, 2].map((i) => payloadOf(i, HEAD).length)).toEqual([256, 257])
  expect(verify(payloadOf(1, HEAD), signatureOf(1), alice.hotkey)).toBe(true)
  const hash = blake2b(payloadOf(2, HEAD), { dkLen: 32 })
  expect(verify(hash, signatureOf(2), alice.hotkey)).toBe(true)
})

test('states the scheme of the signature', async () => {
  for (const signer of [alice, miner]) sender.send(signer, remark(1)).catch(() => {})
  await sentCalls(2)
  expect([alice, miner].map(({ scheme }) => scheme)).toEqual(['sr25519', 'ed25519'])
  // Before the scheme are the version, the kind of the address, and 32 bytes of the address.
  expect([0, 1].map((i) => sent(i).toU8a(true)[1 + 1 + 32])).toEqual([1, 0])
  expect(verifyCall(payloadOf(1, HEAD), signatureOf(1), miner.hotkey)).toBe(true)
})

test.each([
  [101, 4, 98],
  [104, 8, 97],
  [110, 16, 95],
  [115, 16, 100],
  [1000, 16, 100],
])('makes a call with until=%i valid for %i blocks from %i on', async (until, period, birth) => {
  sender.send(alice, remark(1), until).catch(() => {})
  await sentCalls(1)
  const { asMortalEra: era } = sent(0).era
  expect([era.period.toNumber(), era.birth(HEAD)]).toEqual([period, birth])
  expect(verify(payloadOf(0, birth), signatureOf(0), alice.hotkey)).toBe(true)
})

test('does not send a call whose deadline is already final', async () => {
  const refused = { code: 'AncientBirthBlock' }
  await expect(sender.send(alice, remark(1), HEAD)).rejects.toMatchObject(refused)
  expect(pool).toEqual([])
})

test('resolves with the final block that contains the call, even if it is the deadline', async () => {
  const sending = sender.send(alice, remark(1), 103)
  await sentCalls(1)
  blocks[103] = ['0x00', pool[0]!]
  node.finalize(104)
  expect(await sending).toEqual({ number: 103, hash: hashOf(103) })
})

test('finds the block of a call on the next connection if a connection ends', async () => {
  const sending = sender.send(alice, remark(1))
  await sentCalls(1)
  const { opened } = node.connections
  node.drop()
  blocks[102] = [pool[0]!]
  node.finalize(103)
  expect(await sending).toEqual({ number: 102, hash: hashOf(102) })
  expect(node.connections.opened).toBe(opened + 1)
})

test('rejects if no block up to the deadline contains the call', async () => {
  const sending = sender.send(alice, remark(1), 102)
  await sentCalls(1)
  blocks[103] = [pool[0]!]
  node.finalize(103)
  await expect(sending).rejects.toMatchObject({ code: 'AncientBirthBlock' })
})

test('gives concurrent calls of an account consecutive nonces', async () => {
  const senders = [alice, bob, alice, alice]
  for (const account of senders) sender.send(account, remark(1)).catch(() => {})
  await sentCalls(4)
  expect(pool.map((_, i) => sent(i).nonce.toNumber())).toEqual([NONCE, NONCE, NONCE + 1, NONCE + 2])
})

test('sends the next call with the nonce of a refused call', async () => {
  const take = node.replies.author_submitExtrinsic!
  node.replies.author_submitExtrinsic = () => ({
    error: { code: 1010, message: 'Invalid Transaction', data: 'Custom error: 6' },
  })
  await expect(sender.send(alice, remark(1))).rejects.toMatchObject({ code: 'RateLimitExceeded' })
  node.replies.author_submitExtrinsic = take
  sender.send(alice, remark(1)).catch(() => {})
  await sentCalls(1)
  expect(sent(0).nonce.toNumber()).toBe(NONCE)
})

test('waits for a call that the node already has', async () => {
  node.replies.author_submitExtrinsic = (hex) => {
    pool.push(String(hex))
    return { error: { code: 1013, message: 'Transaction Already Imported' } }
  }
  const sending = sender.send(alice, remark(1))
  await sentCalls(1)
  blocks[101] = [pool[0]!]
  node.finalize(101)
  expect(await sending).toEqual({ number: 101, hash: hashOf(101) })
})

test('rejects with the reason if a call fails in its block', async () => {
  const sending = sender.send(alice, remark(1))
  await sentCalls(1)
  blocks[101] = ['0x00', pool[0]!]
  node.replies.state_getStorage = () => ({ result: eventsOf(SUCCESS, FAILED_WITH_BAD_ORIGIN) })
  node.finalize(101)
  await expect(sending).rejects.toMatchObject({ name: 'ChainError', code: 'BadOrigin' })
})
