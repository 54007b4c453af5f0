import { record, type Shape, uint } from '@affine/prng/shape'
import { ChainError } from '../chain-error.ts'
import type { LocalChain } from './local-chain.ts'
import { type Extrinsic, extrinsicShape, placeOf } from './log.ts'

/** The content type of what a local chain's client sends. */
export const JSON_TYPE = 'application/json'

const MAX_REQUEST = 16_384
/** How many blocks an answer has at most. */
export const MOST_BLOCKS = 256

/** The origin of a page that the reader's own machine serves. */
const LOOPBACK_PAGE = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?$/

/** What a client asks: the log from a block on, or to submit a call. */
export type ChainQuestion = { readonly log: number } | { readonly submit: Extrinsic }

const logs = record({ log: uint() })
const submits = record({ submit: extrinsicShape })
const questionShape: Shape<ChainQuestion> = (value) =>
  'submit' in Object(value) ? submits(value) : logs(value)

/**
 * Serves a local chain to `remoteChain`. Returns a handler of web-standard requests to any path.
 * Use it on loopback only: it has no authentication.
 *
 * A request is a POST of at most 16 KiB of JSON. `{ log: n }` is answered, once there is a block n,
 * with the log's first line and its lines from block n on, at most 256; after `waitMs`
 * milliseconds, with the first line alone. `{ submit: extrinsic }` is answered once the call waits
 * for the next block. A refusal has the status 400 and `{ code, message }`. Pages on loopback may
 * read the log, but not submit calls.
 */
export function serveLocal(
  chain: LocalChain,
  waitMs = 20_000,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const origin = request.headers.get('origin')
    const isLocalPage = origin !== null && LOOPBACK_PAGE.test(origin)
    if (!isLocalPage) return answer(chain, request, waitMs)
    const open = { 'access-control-allow-origin': origin, vary: 'Origin' }
    if (request.method === 'OPTIONS') {
      const asks = { 'access-control-allow-headers': 'content-type' }
      return new Response(null, { status: 204, headers: { ...open, ...asks } })
    }
    const { status, headers, body } = await answer(chain, request, waitMs)
    return new Response(body, { status, headers: { ...Object.fromEntries(headers), ...open } })
  }
}

async function answer(chain: LocalChain, request: Request, waitMs: number): Promise<Response> {
  try {
    const asked = await questionIn(request)
    if ('submit' in asked) {
      if (request.headers.has('origin'))
        throw new ChainError('BadRequest', 'a page may read the log, but not submit calls')
      return Response.json(chain.submit(asked.submit))
    }
    for await (const { number } of chain.heads(AbortSignal.timeout(waitMs)))
      if (number >= asked.log) break
    return new Response(chain.export(asked.log, asked.log + MOST_BLOCKS))
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return Response.json({ code: error.code, message: error.message }, { status: 400 })
  }
}

async function questionIn(request: Request): Promise<ChainQuestion> {
  const asked = jsonOf(await textOf(request))
  const wrong = questionShape(asked)
  if (wrong === undefined) return asked as ChainQuestion
  throw new ChainError('BadRequest', `the question is not valid${placeOf(wrong)}`)
}

/** The text of a request; empty if it is not allowed or cannot be read. */
async function textOf({ method, headers, body }: Request): Promise<string> {
  // For a page from elsewhere, a browser sends this type only with a permission, which only pages
  // on loopback get.
  const mayAsk = method === 'POST' && headers.get('content-type') === JSON_TYPE
  if (!mayAsk) return ''
  return readText(body, MAX_REQUEST).catch(() => '')
}

/**
 * The text of a body. Rejects if the body is not UTF-8, and as soon as it has more than `limit`
 * characters.
 */
export async function readText(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  limit: number,
): Promise<string> {
  if (body === null) return ''
  let text = ''
  for await (const part of body.pipeThrough(new TextDecoderStream('utf-8', { fatal: true }))) {
    text += part
    if (text.length > limit) throw new RangeError(`the body has more than ${limit} characters`)
  }
  return text
}

/** What a text of at most 16 KiB says; undefined unless it is JSON. */
export function jsonOf(text: string): unknown {
  try {
    return text.length > MAX_REQUEST ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
