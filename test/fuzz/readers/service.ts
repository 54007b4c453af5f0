import { createServer, type Socket } from 'node:net'
import { BucketFailure } from '../../../packages/blocks/src/bucket.ts'
import { s3Bucket } from '../../../packages/blocks/src/s3-bucket.ts'
import { PROTOCOL } from '../../../packages/duel/src/index.ts'
import { make, play } from '../../../packages/envs/src/index.ts'
import {
  type Exchange,
  type HttpResponse,
  MinerError,
  type MinerEvent,
} from '../../../packages/miners/src/asking.ts'
import { checkDeployment, UUID } from '../../../packages/miners/src/deployment/checks.ts'
import {
  DeliveryError,
  fetchAccount,
  minerClient,
  openChutes,
} from '../../../packages/miners/src/index.ts'
import { exchange, NODE_CALLER } from '../../../packages/miners/src/node/index.ts'
import {
  CHAT_TEMPLATE,
  completion,
  described,
  ledTo,
} from '../../../packages/miners/test/servers.ts'
import { plain, sourceFor } from '../../../packages/miners/test/sources.ts'
import { printable } from '../../../packages/report/src/text.ts'
import { createBucketOpener } from '../../../packages/settlement/src/node/index.ts'
import { maskUrls } from '../../../packages/terminal/src/fault-text.ts'
import replays from '../../../vectors/envs/replays.json' with { type: 'json' }
import { listen } from '../../web-server.ts'
import type { Reader } from '../fuzz.ts'
import {
  bytesOf,
  expectPrintable,
  expectSame,
  jsonOf,
  lineIn,
  linesOf,
  objectIn,
  refusal,
  textOf,
} from '../input.ts'

const { signal } = new AbortController()
const MINER = {
  ...{ hotkey: '5M', model: 'one/5M', revision: 'ab'.repeat(20) },
  chute: '7b1e2a50-0a2c-4d4e-9b1d-0123456789ab',
  templates: PROTOCOL.templates,
}
const [{ input: episode } = { input: { env: '', challengeId: '' } }] = replays.vectors

/** Plays an episode in which a miner's responses have these bytes. */
async function playWith(bytes: Uint8Array) {
  const received = { status: 200, headers: {}, text: textOf(bytes), ms: 7 }
  const endpoint = { chute: 'http://miner/v1', model: 'm' }
  const asking = { ...NODE_CALLER, exchange: async () => received, concurrency: 1 }
  const agent = minerClient(endpoint, asking)(1000, signal)
  const { fault, reward } = await play(make(episode.env), episode.challengeId, agent)
  return fault === undefined ? reward : { ok: false, code: 'NO_REPLY', detail: fault }
}

const PLAIN = {
  description: described(MINER, 'me-one'),
  source: sourceFor(MINER),
  account: { balance: 5 },
  file: { chat_template: CHAT_TEMPLATE },
  jinja: CHAT_TEMPLATE,
  folder: [],
  call: JSON.parse(completion('A1')),
}
type Path = keyof typeof PLAIN
/** Parts of URLs with the answers that they request. The first match counts. */
const PATHS = {
  '/code/': 'source',
  '/chutes/': 'description',
  '/users/': 'account',
  '/tree/': 'folder',
  '.json': 'file',
  '.jinja': 'jinja',
} as const
const pathOf = (url: string): Path =>
  Object.entries(PATHS).find(([part]) => url.includes(part))?.[1] ?? 'call'

/** Checks a chute of which one answer has these bytes: the description, the source, or a file. */
async function checkChute(bytes: Uint8Array, path: 'description' | 'source' | 'file') {
  const ask: Exchange = async ({ url }) => {
    const text = pathOf(url) === path ? textOf(bytes) : String(lineIn(PLAIN[pathOf(url)]))
    return { status: 200, headers: {}, text, ms: 0 }
  }
  const caller = { ...NODE_CALLER, exchange: ask, key: { ask } }
  const verdict = await checkDeployment(MINER, { epoch: 0, signal }, caller)
  if (!verdict.ok && !/^[ -~…]{1,2500}$/.test(verdict.detail)) throw new Error(verdict.detail)
  if (verdict.ok && !/^[a-z0-9-]{1,63}$/.test(verdict.value.slug)) throw new Error('no slug')
  return verdict
}

/** Reads a description. Throws if it is not JSON, since a check would request it again. */
async function readDescribed(bytes: Uint8Array) {
  JSON.parse(textOf(bytes))
  return checkChute(bytes, 'description').catch((error) => Promise.reject(new Error(error)))
}

/** Asks a miner on Chutes with these answers, one per path. */
async function askOnChutes(bytes: Uint8Array) {
  const answers = objectIn(bytes)
  const sampling = new AbortController()
  const exchange: Exchange = async ({ url }) => {
    // A failing request would be repeated for ever.
    if (lineIn(answers[pathOf(url)]) !== lineIn(ANSWERS[pathOf(url)]))
      setTimeout(() => sampling.abort(), 5)
    return answerIn(answers[pathOf(url)])
  }
  const on = (event: MinerEvent): void => {
    if (event.type === 'problem' && event.error.message.length > 2000) throw event.error
  }
  const asking = { ...NODE_CALLER, exchange, concurrency: 1, on, apiKey: 'cpk_1', pauseMs: 1 }
  const place = { epoch: 0, signal: sampling.signal }
  const agent = openChutes(asking).agent(MINER, 60_000, place)
  const answer = await agent([{ role: 'user', content: 'What is it?' }])
  if ('fault' in answer) return { ok: false, code: 'NO_REPLY', detail: answer.fault }
  const { content, ms, invocation = '', ...rest } = answer
  expectSame(`${Object.keys(rest)} ${ms} ${typeof content}`, ' 7 string')
  if (content.length > 256 * 1024 || !UUID.test(invocation)) throw new Error('not a reply')
  return answer
}
const ANSWERS: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(PLAIN).map(([path, body]) => [path, { status: 200, id: MINER.chute, body }]),
)

/** Returns an answer from JSON with any content. */
function answerIn(answer: unknown): HttpResponse {
  const { status, id, body } = Object(answer)
  return {
    status: status > 99 && status < 600 ? Math.trunc(status) : 404,
    headers: typeof id === 'string' ? { 'x-chutes-invocationid': id } : {},
    text: String(lineIn(body)),
    ms: 7,
  }
}

/** Answers with a refused call, for the chute or for the whole account. */
const REFUSED = [401, 503].flatMap((status) => {
  const call = { status }
  return [
    { ...ANSWERS, call },
    { ...ANSWERS, call, account: call },
  ]
})
/** Reports whether Chutes refused the key. */
const isNotSealed = (error: unknown): boolean =>
  error instanceof MinerError && error.code === 'key-refused'

async function readAccount(api: string) {
  const redirected: Exchange = (query) => exchange({ ...query, url: ledTo(api, query.url) })
  const account = await fetchAccount('cpk_1', { ...NODE_CALLER, exchange: redirected })
  expectSame(String(Object.keys(account)), 'status,ms,aheadMs,balance,netuids,roles')
  if (account.status === 200) expectSame(typeof account.balance, 'number')
  return account
}

const LIMIT = 4096

/**
 * Reads an answer of S3 to a read and to a write. The first line is the status, the rest the body.
 */
function readS3(bytes: Uint8Array) {
  const [head = bytes] = linesOf(bytes)
  const status = Math.min(599, Math.max(200, Number.parseInt(textOf(head), 10) || 200))
  const isEmpty = [204, 205, 304].includes(status)
  const body = isEmpty ? null : Uint8Array.from(bytes.subarray(head.length + 1))
  const fetch = async () => new Response(body, { status })
  const place = { endpoint: 'https://s3.example', bucket: 'affine', now: () => 0, fetch }
  const bucket = s3Bucket({ ...place, accessKeyId: 'ID', secretAccessKey: 'key' })
  return Promise.all([bucket.read('x', LIMIT), bucket.write('x', body ?? new Uint8Array())])
}

/** Reports whether an error is a bucket failure with our own text. */
const refusesS3 = (error: unknown): boolean =>
  refusal(BucketFailure)(error) &&
  /^cannot (read|write) https:[\w./]+\/x: [ -~]{1,300}$/.test(String(Object(error).message))

/** Resolves with readers of responses of a server that sends any bytes. */
async function socketReaders(): Promise<readonly Reader[]> {
  let answer: Uint8Array = new Uint8Array()
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {}).on('data', () => socket.end(answer))
  })
  const url = await listen(server, 0)
  server.unref()
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
  const samples = [
    `${head}content-length: 13\r\n\r\n{"balance":5}`,
    `${head}transfer-encoding: chunked\r\n\r\nd\r\n{"balance":5}\r\n0\r\n\r\n`,
  ].map(bytesOf)
  const readWith = (read: () => unknown) => (bytes: Uint8Array) => {
    answer = bytes
    return read()
  }
  const query = { url, replyMs: 1000, signal, now: () => 0 }
  const common = { share: 0.4, samples }
  return [
    {
      ...{ ...common, name: 'response', read: readWith(() => exchange(query)) },
      refuses: refusal(DeliveryError, MinerError, Error),
    },
    {
      ...{ ...common, name: 'account', read: readWith(() => readAccount(url)) },
      refuses: refusal(DeliveryError, MinerError, Error, SyntaxError, TypeError),
    },
  ]
}

/** Resolves with readers of services' answers. */
export async function serviceReaders(): Promise<readonly Reader[]> {
  const reply = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    ...objectIn(bytesOf(completion('A1'))),
  }
  return [
    {
      name: 'completion',
      share: 10,
      samples: [reply, { choices: [] }].map(jsonOf),
      read: playWith,
    },
    {
      name: 'chute',
      share: 20,
      samples: [PLAIN.description, { ...PLAIN.description, slug: { length: { toString: 1 } } }].map(
        jsonOf,
      ),
      read: readDescribed,
      refuses: refusal(SyntaxError),
    },
    {
      name: "chute's source",
      share: 2,
      samples: [sourceFor(MINER), ...plain].map(bytesOf),
      read: (bytes) => checkChute(bytes, 'source'),
    },
    {
      name: "model's file",
      share: 2,
      samples: [PLAIN.file, { chat_template: [{ name: 'default', template: CHAT_TEMPLATE }] }].map(
        jsonOf,
      ),
      read: (bytes) => checkChute(bytes, 'file'),
    },
    {
      name: 'asking on Chutes',
      share: 2,
      samples: [ANSWERS, ...REFUSED].map(jsonOf),
      read: askOnChutes,
      refuses: isNotSealed,
    },
    {
      name: 'S3 answer',
      share: 4,
      samples: [
        '200\nbytes',
        '404\n<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>',
        '403\n<Error><Code>RequestTimeTooSkewed</Code><Message>m</Message></Error>',
        '412\n',
        '503\nSlow Down',
        '200\n<Error><Code>SlowDown</Code></Error>',
      ].map(bytesOf),
      read: readS3,
      refuses: refusesS3,
    },
    {
      name: 'bucket URL',
      share: 100,
      samples: ['https://bucket.example/v1', 'plain-name', 'http://[::1]:80/'].map(bytesOf),
      read: (bytes) => createBucketOpener('/buckets')('5M', textOf(bytes)),
    },
    {
      name: 'terminal text',
      share: 20,
      samples: [bytesOf('wss://user:key@node.example/v1/0123456789?key=x, then \x1b[2Jmore')],
      read: (bytes) => expectPrintable(printable(maskUrls(textOf(bytes)), 1000)),
    },
    ...(await socketReaders()),
  ]
}
