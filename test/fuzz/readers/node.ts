import { parseSlot, readMetagraph } from '../../../packages/chain/src/bittensor/metagraph.ts'
import {
  createRefusalError,
  type NodeMessage,
  readMessage,
} from '../../../packages/chain/src/bittensor/node-message.ts'
import { poolRefusal } from '../../../packages/chain/src/bittensor/refusal.ts'
import type { Codec, Runtime } from '../../../packages/chain/src/bittensor/storage.ts'
import { parseRow } from '../../../packages/chain/src/bittensor/weight-calls.ts'
import { ChainError } from '../../../packages/chain/src/index.ts'
import { alice, bob } from '../../../packages/chain/test/subnet.ts'
import type { Reader } from '../fuzz.ts'
import { jsonOf, refusal, textOf } from '../input.ts'

/** Returns a value of the chain as the library decodes it, with this JSON. */
function codecOf(bytes: Uint8Array): Codec {
  const json = JSON.parse(textOf(bytes))
  return { isEmpty: json === null, toJSON: () => json, toString: () => textOf(bytes) }
}

/** Returns the part of a runtime that these readers use. */
function runtimeOf(bytes: Uint8Array): Runtime {
  const codec = codecOf(bytes)
  const call = { subnetInfoRuntimeApi: { getSelectiveMetagraph: async () => codec } }
  return { call } as unknown as Runtime
}

function readSlot(bytes: Uint8Array) {
  const { fields } = parseSlot({ ...codecOf(bytes), toJSON: () => alice.hotkey }, codecOf(bytes))
  return fields
}

/**
 * Reads a node's message. The detail of a refusal is the printed text. An unreadable message would
 * end the connection, so its detail is empty.
 */
function readNode(bytes: Uint8Array) {
  let message: NodeMessage
  try {
    message = readMessage(textOf(bytes))
  } catch {
    return { ok: false, code: 'UNREADABLE', detail: '' }
  }
  if (!message.error) return message
  const refused = createRefusalError(message.error)
  const detail = poolRefusal(refused)?.message ?? refused.message
  return { ok: false, code: 'REFUSED', detail }
}

const MESSAGES = [
  { jsonrpc: '2.0', id: 1, result: `0x${'ab'.repeat(32)}` },
  { jsonrpc: '2.0', id: 2, result: { number: '0x5', digest: { logs: [] } } },
  { jsonrpc: '2.0', id: 3, error: { code: 1010, message: 'Invalid Transaction', data: 'stale' } },
  { jsonrpc: '2.0', id: 3, error: { code: 1014, message: 'Priority is too low: (1 vs 1)' } },
  { jsonrpc: '2.0', id: 3, error: { code: 1010, message: 'x', data: 'Custom error: 6' } },
  { jsonrpc: '2.0', method: 'n', params: { subscription: 's', result: { number: '0x5' } } },
]
const METAGRAPH = {
  ownerHotkey: alice.hotkey,
  ...{ netuid: 120, tempo: 360, maxUids: 256, immunityPeriod: 4096 },
  ...{ commitRevealWeightsEnabled: true, commitRevealPeriod: 3 },
  hotkeys: [alice.hotkey, bob.hotkey],
  validatorPermit: [true, false],
  lastUpdate: [7, 0],
  blockAtRegistration: [3, 0],
  totalStake: [5, '0xffffffffffffffffffffffffffffffff'],
}
/** The address of 32 zero bytes, for a subnet whose owner has no hotkey. */
const NO_HOTKEY = '5C4hrfjw9DjXZTzV3MwzrrAr9P1MJhSrvWGWqi1eSuyUpnhM'
const SLOTS = [
  [{ raw3: '0x010203' }, { raw0: '0x' }, { bigRaw: '0xff' }],
  [{ Raw128: `0x${'ab'.repeat(128)}` }, { none: null }, { sha256: `0x${'00'.repeat(32)}` }],
].map((fields) => ({ block: 9, deposit: 0, info: { fields } }))

/** A SyntaxError comes from the JSON that replaces the library's decoded values. */
const refuses = refusal(ChainError, SyntaxError)

/** Readers of answers of Bittensor nodes. */
export const nodeReaders: readonly Reader[] = [
  { name: 'node message', share: 40, samples: MESSAGES.map(jsonOf), read: readNode },
  {
    name: 'metagraph',
    share: 20,
    samples: [METAGRAPH, { ...METAGRAPH, ownerHotkey: NO_HOTKEY }].map(jsonOf),
    read: (bytes) => readMetagraph(runtimeOf(bytes), 120),
    refuses,
  },
  { name: 'commitment slot', share: 30, samples: SLOTS.map(jsonOf), read: readSlot, refuses },
  {
    name: 'row of weights',
    share: 40,
    samples: [
      [
        [0, 65_535],
        [65_535, 1],
      ],
      [],
    ].map(jsonOf),
    read: (bytes) => parseRow(codecOf(bytes)),
    refuses,
  },
]
