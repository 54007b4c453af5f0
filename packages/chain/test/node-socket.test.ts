import { createHash } from 'node:crypto'
import { once } from 'node:events'
import net, { createServer, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { closeServers, listen } from '../../../test/web-server.ts'
import { NodeSocket } from '../src/bittensor/node-socket.ts'
import { fakeNode } from './fake-node.ts'

const ended: (() => unknown)[] = []
afterEach(() => {
  for (const end of ended.splice(0)) end()
  closeServers()
})

/** Sends frames. Resolves with true when they are sent, or false without a client. */
type Send = (frames: Buffer) => Promise<boolean>

/** Resolves with an unconnected socket for a server that passes each connection to `serve`. */
async function socketOf(serve: (socket: Socket) => unknown): Promise<NodeSocket> {
  const server = createServer((socket) => {
    ended.push(() => socket.destroy())
    serve(socket.on('error', () => {}))
  })
  const socket = new NodeSocket((await listen(server)).replace('http', 'ws'), 2 ** 31 - 1)
  ended.push(() => socket.close())
  return socket
}

/** Connects a socket to a server that answers a request with arbitrary bytes. */
async function connectSocket(answer: (send: Send) => Promise<unknown>): Promise<NodeSocket> {
  const socket = await socketOf(async (socket) => {
    await shakeHands(socket)
    await once(socket, 'data')
    socket.resume()
    await answer((frames) => new Promise((done) => socket.write(frames, (error) => done(!error))))
  })
  await socket.connect()
  return socket
}

async function shakeHands(socket: Socket): Promise<void> {
  const [handshake] = (await once(socket, 'data')) as [Buffer]
  const [, key] = /sec-websocket-key: (\S+)/i.exec(String(handshake)) ?? []
  const hash = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
  const upgrade = 'HTTP/1.1 101 Here\r\nConnection: Upgrade\r\nUpgrade: websocket'
  socket.write(`${upgrade}\r\nSec-WebSocket-Accept: ${hash.digest('base64')}\r\n\r\n`)
}

const [TEXT, MORE, LAST, PONG] = [0x01, 0x00, 0x80, 0x8a]
/** Returns a frame of at most 125 bytes of data. */
const frame = (head: number, data: string): Buffer =>
  Buffer.from(`${String.fromCharCode(head, data.length)}${data}`, 'latin1')
/** Returns pongs of 64 bytes each. */
const pongs = (count: number): Buffer =>
  Buffer.concat(Array(count).fill(frame(PONG, 'x'.repeat(62))))
const message = (value: object): Buffer => frame(LAST + TEXT, JSON.stringify(value))
const ANSWER = JSON.stringify({ id: 1, result: 'answered' })
/** Returns the answer in `count` fragments. */
const inFragments = (count: number): Buffer =>
  Buffer.concat([frame(TEXT, ANSWER), ...Array(count - 2).fill(frame(MORE, ' ')), frame(LAST, ' ')])

const PINGS = /^Unreachable: .* 1048576 bytes of pings /
const LIMIT = 2 ** 26
test.each([
  ['pongs', ''],
  ['fragments and pongs', ' '],
])('disconnects a node that sends %s endlessly', async (_, data) => {
  const flood = pongs(1024)
  let sent = 0
  const socket = await connectSocket(async (send) => {
    let head = TEXT
    while (sent < LIMIT && (await send(data ? Buffer.concat([frame(head, data), flood]) : flood))) {
      sent += flood.length
      head = MORE
    }
    await send(data ? frame(LAST, ANSWER) : frame(LAST + TEXT, ANSWER))
  })
  await expect(socket.send('chain_getBlockHash', [0])).rejects.toThrow(PINGS)
  expect(sent).toBeLessThan(LIMIT)
})

test('accepts a message in 64 fragments, and not in 65', async () => {
  const honest = await connectSocket((send) => send(inFragments(64)))
  expect(await honest.send('chain_getBlockHash', [0])).toBe('answered')
  const hostile = await connectSocket((send) => send(inFragments(65)))
  const refusal = /^Unreachable: .*: Too many message fragments$/
  await expect(hostile.send('chain_getBlockHash', [0])).rejects.toThrow(refusal)
})

const UNREADABLE = /^Unreachable: the node sent an unreadable message: [ -~]{0,300}$/
const LISTS = '['.repeat(50) + ']'.repeat(50)
const unrequestedReply = (result: string) => `{"id":"nobody","result":${result}}`
const short = [
  ...['', 'junk', '[', 'null', '12', '[]', '"text"', '\0\u{1b}[2J'],
  ...['{"error":"none"}', '{"error":{"code":"1"}}', '{"params":[]}', '{"params":7}'],
]
test.each([
  ...short.map((text): [string, string, RegExp] => [JSON.stringify(text), text, UNREADABLE]),
  ['opened lists', '['.repeat(50_000), UNREADABLE],
  ['lists 64 deep', unrequestedReply('['.repeat(64) + ']'.repeat(64)), UNREADABLE],
  ['too many values', unrequestedReply(`[${'0,'.repeat(2 ** 17)}0]`), UNREADABLE],
  ['too many lists', unrequestedReply(`[${`${LISTS},`.repeat(3000)}0]`), UNREADABLE],
  ['16 MiB', unrequestedReply(`"${'0'.repeat(2 ** 24)}"`), /connection failed: Max payload/],
])(
  'disconnects a node after a malformed message, and ignores further messages: %s',
  async (_, text, why) => {
    const node = await fakeNode()
    ended.push(() => node.stop())
    const socket = new NodeSocket(node.url, 2 ** 31 - 1)
    await socket.connect()
    const waiting = socket.follow('chain_subscribeFinalizedHeads', () => false)
    await expect.poll(() => node.asked).not.toEqual([])
    using parse = vi.spyOn(JSON, 'parse')
    node.say(text)
    node.say(unrequestedReply('"more"'))
    await expect(waiting).rejects.toThrow(why)
    expect(parse.mock.calls.filter(([text]) => text.includes('nobody'))).toEqual([])
  },
)

test('accepts 640 kB of pongs before each message', async () => {
  const socket = await connectSocket(async (send) => {
    for (let i = 0; i < 3; i++) await send(Buffer.concat([pongs(10_000), message({})]))
    await send(frame(LAST + TEXT, ANSWER))
  })
  expect(await socket.send('chain_getBlockHash', [0])).toBe('answered')
})

test('disconnects a node that sends HTTP 1xx responses endlessly', async () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(9)
  const socket = await socketOf((socket) => socket.once('data', () => socket.write(interim)))
  await expect(socket.connect()).rejects.toThrow('over 8 interim answers')
})

test('handles one message in each turn of the event loop', async () => {
  const news = Array<Buffer>(100).fill(message({ params: { subscription: 7, result: 'news' } }))
  const subscribed = message({ id: 1, result: 7 })
  const socket = await connectSocket((send) => send(Buffer.concat([subscribed, ...news])))
  let turns = 0
  const turn = (): void => {
    turns += 1
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  let heard = 0
  await socket.follow('chain_subscribeNewHead', () => {
    heard += 1
    return heard === 100
  })
  clearImmediate(next)
  expect(turns).toBeGreaterThanOrEqual(100)
})

test('receives only notifications with the id in the last of two answers to a request to subscribe', async () => {
  const answers = [7, 8].map((result) => message({ id: 1, result }))
  const news = [7, 8].map((result) => message({ params: { subscription: result, result } }))
  const socket = await connectSocket((send) => send(Buffer.concat([...answers, ...news])))
  const heard: unknown[] = []
  await socket.follow('chain_subscribeNewHead', (news) => {
    heard.push(news)
    return news === 8
  })
  expect(heard).toEqual([8])
})

test('gives each address of a node five seconds to connect', async () => {
  using connect = vi.spyOn(net, 'connect')
  await expect(new NodeSocket('ws://127.0.0.1:1', 10_000).connect()).rejects.toThrow('ECONNREFUSED')
  const options = expect.objectContaining({ autoSelectFamilyAttemptTimeout: 5000 })
  expect(connect).toHaveBeenCalledWith(options)
})
