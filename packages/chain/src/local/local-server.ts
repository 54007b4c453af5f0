import { record, type Shape, uint } from '@affine/prng/shape'
import { ChainError } from '../chain-error.ts'
import type { LocalChain } from './local-chain.ts'
import { type Extrinsic, extrinsicShape } from './log.ts'

export const JSON_TYPE = 'application/json'

/** Maximum length of a request in characters. */
const MAX_REQUEST = 16_384
/** Maximum number of blocks in an answer. */
export const MAX_BLOCKS = 256

const LOOPBACK_PAGE = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?$/

/** A client's request: the log from a block on, or a call to submit. */
export type ChainRequest = { readonly log: number } | { readonly submit: Extrinsic }

const logShape = record({ log: uint() })
const submitShape = record({ submit: extrinsicShape })
const requestShape: Shape<ChainRequest> = (value) =>
  'submit' in Object(value) ? submitShape(value) : logShape(value)

/**
 * Returns a handler of web-standard requests to any path, which serves a local chain to
 * `remoteChain`. Use it only on loopback: it has no authentication.
 *
 * A request is a POST of at most 16 KiB of `application/json`. The answer to `{ log: n }` is the
 * log's first line and, once block n exists, the lines of at most 256 blocks from block n on. After
 * `waitMs` milliseconds without block n, it is only the first line. The answer to
 * `{ submit: extrinsic }` is the extrinsic, once it waits for the next block. A refusal has the
 * status 400 and `{ code, message }`.
 */
export function serveLocal(
  chain: LocalChain,
  waitMs = 20_000,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await answer(chain, request, waitMs)
    const origin = request.headers.get('origin') ?? ''
    if (LOOPBACK_PAGE.test(origin)) {
      response.headers.set('access-control-allow-origin', origin)
      response.headers.set('access-control-allow-headers', 'content-type')
    }
    return response
  }
}

async function answer(chain: LocalChain, request: Request, waitMs: number): Promise<Response> {
  // A browser asks with OPTIONS whether a page may call this server. The headers that permit it are
  // added only for pages on loopback.
  if (request.method === 'OPTIONS') return new Response(null, { status: 204 })
  try {
    // A browser asks this server for permission before it sends this content type for a page of
    // another origin. Only pages on loopback get the permission.
    const isJson = request.headers.get('content-type') === JSON_TYPE
    const text = isJson ? await readText(request.body, MAX_REQUEST).catch(() => '') : ''
    const content = parseJson(text)
    const fault = requestShape(content)
    if (fault !== undefined) throw new ChainError('BadRequest', `the request${fault}`)
    const question = content as ChainRequest
    if ('submit' in question) {
      if (request.headers.has('origin'))
        throw new ChainError('BadRequest', 'a page may read the log, but not submit calls')
      return Response.json(chain.submit(question.submit))
    }
    for await (const { number } of chain.heads(AbortSignal.timeout(waitMs)))
      if (number >= question.log) break
    return new Response(chain.export(question.log, question.log + MAX_BLOCKS))
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return Response.json({ code: error.code, message: error.message }, { status: 400 })
  }
}

/**
 * Resolves with the text of a body. Rejects if the body is not UTF-8, and as soon as it has more
 * than `limit` characters.
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

/** Parses at most 16,384 characters of JSON. Returns undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return text.length > MAX_REQUEST ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
