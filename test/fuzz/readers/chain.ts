import fc from 'fast-check'
import {
  ChainError,
  decodeAddress,
  decodeCommitment,
  encodeCommitment,
  LocalChain,
  remoteChain,
  serveLocal,
  verify,
} from '../../../packages/chain/src/index.ts'
import {
  blockShape,
  extrinsicShape,
  readLine,
  setupShape,
} from '../../../packages/chain/src/local/log.ts'
import { apply, createLedger } from '../../../packages/chain/src/local/rules.ts'
import { commitment, hotkey } from '../../../packages/chain/test/any-commitment.ts'
import { scenario } from '../../../packages/chain/test/scenario.ts'
import { alice, bob } from '../../../packages/chain/test/subnet.ts'
import { canonicalize, type Json } from '../../../packages/prng/src/index.ts'
import accounts from '../../../vectors/chain/accounts.json' with { type: 'json' }
import commitments from '../../../vectors/chain/commitments.json' with { type: 'json' }
import type { Reader } from '../fuzz.ts'
import { bytesOf, expectSame, joinParts, jsonOf, partsOf, refusal, textOf } from '../input.ts'

const refuses = refusal(ChainError)
const hex = (text: string): Uint8Array => Buffer.from(text, 'hex')
const lineOf = (value: Json): Uint8Array => bytesOf(canonicalize(value))

function readCommitment(bytes: Uint8Array) {
  const fields = partsOf(bytes)
  const decoded = decodeCommitment(fields, hotkey)
  if (decoded !== null)
    expectSame(String(encodeCommitment(decoded)), String(fields.map((field) => [...field])))
  return decoded
}

/**
 * Returns a reader of signed calls of any content, which the rules accept or refuse with a code.
 */
function callReader(lines: readonly string[]): Reader['read'] {
  const begun = createLedger(readLine(setupShape, lines[0] ?? '', 'the first line'))
  return (bytes) => {
    const ledger = { ...begun, block: 7 }
    const code = apply(ledger, readLine(extrinsicShape, textOf(bytes), 'the call'))
    return code === null ? ledger : { ok: false, code: 'REFUSED', detail: code }
  }
}

/** Returns a reader of requests to the server. An error status is a refusal. */
function requestReader(chain: LocalChain): Reader['read'] {
  const serve = serveLocal(chain, 0)
  const headers = { 'content-type': 'application/json' }
  return async (bytes) => {
    const body = Uint8Array.from(bytes)
    const response = await serve(new Request('http://chain', { method: 'POST', headers, body }))
    if (response.ok) return response.text()
    return { ok: false, code: 'REFUSED', detail: (await response.json()).code }
  }
}

/** Returns a reader of a server's answers. The first byte determines the status. */
function serverReader(chain: LocalChain): Reader['read'] {
  const serve = serveLocal(chain, 0)
  let answer: typeof fetch = (input, init) => serve(new Request(input, init))
  const opening = remoteChain('http://chain', { fetch: (...args) => answer(...args) })
  return async (bytes) => {
    const remote = await opening
    const [first = 0, ...rest] = bytes
    answer = async () => new Response(Uint8Array.from(rest), { status: first & 1 ? 400 : 200 })
    await remote.head()
    return bytes
  }
}

/** Resolves with a chain of two blocks with a call in the second. */
async function smallChain(): Promise<LocalChain> {
  const neurons = [alice, bob].map(({ hotkey }) => ({ hotkey, stake: 5n }))
  const chain = LocalChain.create({ netuid: 120, random: () => new Uint8Array(32), neurons })
  const call = chain.commit(alice, [bytesOf('a field')])
  await chain.produce(1000)
  await call
  return chain
}

/** Resolves with readers of a local chain, its export, its server and commitments. */
export async function chainReaders(): Promise<readonly Reader[]> {
  const { chain } = await scenario()
  const lines = chain.export().trimEnd().split('\n')
  const small = await smallChain()
  const [setup, ...blocks] = small.export().trimEnd().split('\n')
  const calls = lines.slice(1).flatMap((line) => JSON.parse(line).calls as readonly Json[])
  const slots = [
    ...commitments.cases.map(({ input }) => input.fields.map(hex)),
    ...fc.sample(commitment, { numRuns: 200, seed: 1 }).map(encodeCommitment),
  ]
  const signature = alice.sign(bytesOf('a message'))
  return [
    { name: 'commitment', share: 180, samples: slots.map(joinParts), read: readCommitment },
    {
      name: 'address',
      share: 40,
      samples: accounts.addresses.map(({ input }) => bytesOf(input)),
      read: (bytes) => decodeAddress(textOf(bytes)),
    },
    {
      name: 'signature',
      share: 0.2,
      samples: [joinParts([bytesOf('a message'), signature, bytesOf(alice.hotkey)])],
      read: (bytes) => {
        const [message = bytes, signed = bytes, signer = bytes] = partsOf(bytes)
        return verify(message, signed, textOf(signer)) || null
      },
    },
    {
      name: 'chain line',
      share: 10,
      samples: lines.slice(1).map(bytesOf),
      read: (bytes) => readLine(blockShape, textOf(bytes), 'the line'),
      refuses,
    },
    {
      name: 'chain export',
      share: 0.5,
      samples: [bytesOf(small.export())],
      longest: 4096, // a signature takes some milliseconds
      read: (bytes) => LocalChain.import(textOf(bytes)),
      refuses,
    },
    { name: 'chain call', share: 10, samples: calls.map(lineOf), read: callReader(lines), refuses },
    {
      name: 'chain request',
      share: 0.3,
      samples: [...calls.map((submit) => jsonOf({ submit })), jsonOf({ log: 0 })],
      read: requestReader(chain),
    },
    {
      name: 'chain answer',
      share: 0.3,
      samples: [
        bytesOf(` ${setup}\n${blocks.at(-1)}\n`),
        bytesOf(` ${small.export()}`),
        bytesOf('!{"code":"Stale"}'),
      ],
      read: serverReader(small),
      refuses,
    },
  ]
}
