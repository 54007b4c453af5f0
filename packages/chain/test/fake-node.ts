import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { rpc, version } from '@polkadot/types-support/metadata/static-substrate'
import { compactAddLength, hexToU8a, u8aToHex } from '@polkadot/util'
import { type WebSocket, WebSocketServer } from 'ws'
import { metadataOf } from './made-metadata.ts'

/** A reply to a request: a result, an error, or nothing. */
type Reply = { readonly result: unknown } | { readonly error: object } | null

/** A node that misbehaves on request. */
export interface FakeNode {
  readonly url: string
  /** The requests so far: the method, then its parameters as JSON. */
  readonly asked: readonly string[]
  /** The negotiated extensions of each connection. */
  readonly extensions: readonly string[]
  /** The number of connections that were opened, and that are open. */
  readonly connections: { readonly opened: number; readonly open: number }
  /** Replacements for answers, by method. Undefined leaves the answer unchanged. */
  readonly replies: Record<string, (...params: readonly unknown[]) => Reply | undefined>
  /** While true, it accepts connections and requests, and answers none. */
  isSilent: boolean
  /** Sets the last final block. Subscribers are notified only of this block, not of others. */
  finalize(number: number): void
  /** Sends a text to all connections. */
  say(text: string): void
  /** Terminates all connections without a close frame. */
  drop(): void
  /** Terminates all connections and stops listening. */
  stop(): Promise<void>
}

export interface FakeNodeOptions {
  readonly genesis?: string
  readonly head?: number
  /** The metadata of its runtime. Default: minimal metadata. */
  readonly metadata?: string
}

export const GENESIS: string = 'ab'.repeat(32)

/** The metadata of a runtime that has only the time of a block. */
const LEAST_METADATA = metadataOf(['timestamp.now'])

/** The versions of the runtime's metadata: only 14. */
const VERSIONS = '0x040e000000'

/** Returns the hash of a block, 64 hex digits, which is the same for every node. */
export const hashOf = (number: number): string =>
  number === 0 ? GENESIS : createHash('sha256').update(`block ${number}`).digest('hex')

export async function fakeNode({
  genesis = GENESIS,
  head = 5,
  metadata = LEAST_METADATA,
}: FakeNodeOptions = {}): Promise<FakeNode> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: true })
  await new Promise((resolve) => server.once('listening', resolve))
  const asked: string[] = []
  /** Encodes an answer of the runtime: Some(bytes). */
  const opaque = `0x01${u8aToHex(compactAddLength(hexToU8a(metadata))).slice(2)}`
  const subscribers = new Map<string, WebSocket>()
  const hash = (number: number) => `0x${number === 0 ? genesis : hashOf(number)}`
  const extensions: string[] = []
  let [final, ids] = [head, 0]

  const header = (number: number) => ({
    number: `0x${number.toString(16)}`,
    parentHash: hash(Math.max(0, number - 1)),
    stateRoot: hash(1),
    extrinsicsRoot: hash(2),
    digest: { logs: [] },
  })
  const numberOf = (wanted: unknown) => {
    for (let number = final; number >= 0; number--) if (hash(number) === wanted) return number
    return null
  }
  const results: Record<string, (param: unknown) => unknown> = {
    system_chain: () => 'Fake',
    system_properties: () => ({ ss58Format: 7, tokenDecimals: 9, tokenSymbol: 'FAKE' }),
    system_health: () => ({ peers: 1, isSyncing: false, shouldHavePeers: true }),
    rpc_methods: () => rpc,
    state_getRuntimeVersion: () => version,
    state_getMetadata: () => metadata,
    state_call: (method) => (method === 'Metadata_metadata_versions' ? VERSIONS : opaque),
    state_subscribeRuntimeVersion: () => `v${++ids}`,
    state_unsubscribeRuntimeVersion: () => true,
    chain_getBlockHash: (number) => (Number(number) <= final ? hash(Number(number)) : null),
    chain_getFinalizedHead: () => hash(final),
    chain_getHeader: (wanted) => {
      const number = wanted === undefined ? final : numberOf(wanted)
      return number === null ? null : header(number)
    },
    chain_unsubscribeFinalizedHeads: (id) => subscribers.delete(String(id)),
  }
  const notify = (id: string, socket: WebSocket) => {
    const params = { subscription: id, result: header(final) }
    socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'chain_finalizedHead', params }))
  }

  server.on('connection', (socket) => {
    extensions.push(socket.extensions)
    socket.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data))
      asked.push([method, ...params.map((param: unknown) => JSON.stringify(param))].join(' '))
      if (node.isSilent) return
      const send = (reply: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...reply }))
      const planned = node.replies[method]?.(...params)
      if (planned === null) return
      if (planned) return send(planned)
      if (method === 'chain_subscribeFinalizedHeads') {
        const subscription = `h${++ids}`
        subscribers.set(subscription, socket)
        send({ result: subscription })
        return notify(subscription, socket)
      }
      if (results[method]) return send({ result: results[method](params[0]) })
      send({ error: { code: -32601, message: `Method not found: ${method}` } })
    })
  })

  const node: FakeNode = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    extensions,
    get connections() {
      return { opened: extensions.length, open: server.clients.size }
    },
    replies: {},
    isSilent: false,
    finalize(number) {
      final = number
      for (const [id, socket] of subscribers) notify(id, socket)
    },
    say(text) {
      for (const socket of server.clients) socket.send(text)
    },
    drop() {
      subscribers.clear()
      for (const socket of server.clients) socket.terminate()
    },
    async stop() {
      node.drop()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return node
}
