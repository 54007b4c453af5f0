import * as z from 'zod'
import { ADVICE, ChainError } from './chain.ts'
import { type Extrinsic, extrinsicShape, logShape, natural, read } from './ledger.ts'
import type { LocalChain } from './local-chain.ts'
import { Replica } from './replica.ts'

const MAX_REQUEST = 16_384
const MAX_REPLY = 268_435_456
const TIMEOUT_MS = 60_000
const JSON_TYPE = 'application/json'

const requestShape = z.union([
  z.strictObject({ log: natural }),
  z.strictObject({ submit: extrinsicShape }),
])

/**
 * Serves a local chain to `remoteChain`: a handler of web-standard requests to any path. For
 * loopback.
 *
 * Takes POSTs of at most 16 KiB of JSON. `{ log: n }` gets the log from block n on, once there is
 * such a block, or without blocks after `waitMs`. `{ submit: extrinsic }` is answered once the call
 * waits for the next block; what became of it is in the log. What is refused gets a status of 400
 * and `{ code, message }`.
 */
export function serveLocal(
  chain: LocalChain,
  waitMs = 20_000,
): (request: Request) => Promise<Response> {
  return async ({ method, headers, body }) => {
    try {
      // A page from elsewhere can't send this type without a permission that nobody gives.
      const mayAsk = method === 'POST' && headers.get('content-type') === JSON_TYPE
      const text = mayAsk ? await readText(body, MAX_REQUEST).catch(() => '') : ''
      const request = read(requestShape, text, 'BadRequest')
      if ('submit' in request) return Response.json(chain.submit(request.submit))
      for await (const { number } of chain.heads(AbortSignal.timeout(waitMs)))
        if (number >= request.log) break
      return new Response(chain.export(request.log), { headers: { 'content-type': JSON_TYPE } })
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      return Response.json({ code: error.code, message: error.message }, { status: 400 })
    }
  }
}

/**
 * The chain that `serveLocal` serves at `url`. Fetches its log and replays it here, so a server can
 * be silent or tell another story from the start, but not break the rules or speak for a hotkey.
 * Keys stay here.
 *
 * Whatever the server does ends in a `ChainError`: `BadLog` or `BadReply` for what is no such
 * chain, `Unreachable` when there is no answer. What was sent may then have arrived all the same.
 */
export async function remoteChain(
  url: string,
  options: { readonly fetch?: typeof fetch } = {},
): Promise<Replica> {
  const ask = (body: unknown, signal?: AbortSignal) =>
    post(options.fetch ?? fetch, url, JSON.stringify(body), signal)
  const fetchLog = async (log: number, signal?: AbortSignal) =>
    read(logShape, await ask({ log }, signal), 'BadLog')
  let sent: Promise<unknown> = Promise.resolve()

  class RemoteChain extends Replica {
    /** One after the other: on the way, calls could overtake each other. */
    protected send(sign: () => Extrinsic): Promise<Extrinsic> {
      const sending = sent.then(async () => {
        await this.head()
        const submit = sign()
        await ask({ submit })
        return submit
      })
      sent = sending.catch(() => undefined)
      return sending
    }

    /** The server holds its answer until there is such a block. */
    protected async reach(block: number, signal?: AbortSignal): Promise<void> {
      const { blocks } = await fetchLog(block, signal)
      if (blocks.length === 0 && block <= this.height)
        throw new ChainError('BadLog', `without block ${block}`)
      this.follow(blocks, block)
    }
  }

  const chain = new RemoteChain(await fetchLog(0))
  await chain.head()
  return chain
}

/** What the server answers; what it refuses is thrown. */
async function post(
  ask: typeof fetch,
  url: string,
  body: string,
  signal?: AbortSignal,
): Promise<string> {
  const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]
  const init = {
    method: 'POST',
    headers: { 'content-type': JSON_TYPE },
    body,
    redirect: 'error',
  } as const
  const [{ ok }, text] = await ask(url, { ...init, signal: AbortSignal.any(signals) })
    .then(async (response) => [response, await readText(response.body, MAX_REPLY)] as const)
    .catch((cause) => {
      throw new ChainError('Unreachable', `no chain answers at ${url}; is it running?`, { cause })
    })
  if (ok) return text
  throw new ChainError(read(z.object({ code: z.enum(Object.keys(ADVICE)) }), text, 'BadReply').code)
}

/**
 * A body of at most `limit` characters of UTF-8, as text. Rejects on any other, and reads no
 * further.
 */
export async function readText(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  limit: number,
): Promise<string> {
  let text = ''
  for await (const part of body?.pipeThrough(new TextDecoderStream('utf-8', { fatal: true })) ??
    []) {
    text += part
    if (text.length > limit) throw new RangeError(`a body of more than ${limit} characters`)
  }
  return text
}
