import { record, type Shape, uint } from '@affine/prng/shape'
import { ChainError } from '../chain-error.ts'
import { bodyOf, JSON_TYPE, readText } from './body.ts'
import type { LocalChain } from './local-chain.ts'
import { type Extrinsic, extrinsicShape, read } from './log.ts'

const MAX_REQUEST = 16_384

const asksLog = record({ log: uint() })
const submits = record({ submit: extrinsicShape })
const requestShape: Shape<{ readonly log: number } | { readonly submit: Extrinsic }> = (value) =>
  'log' in Object(value) ? asksLog(value) : submits(value)

/** The origin of a page that the reader's own machine serves. */
const LOOPBACK_PAGE = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?$/

/**
 * Serves a local chain to `remoteChain`. Returns a handler of web-standard requests to any path.
 * Use it on loopback only: it has no authentication.
 *
 * A request is a POST of at most 16 KiB of JSON. `{ log: n }` is answered with the log from block n
 * on, once there is such a block; after `waitMs` milliseconds, with a log without blocks. The log
 * is made as it is read, so that many readers that have stopped cost little.
 * `{ submit: extrinsic }` is answered once the call waits for the next block; the log then shows
 * its result. A call that this block would refuse is refused at once, and is in no log. A refusal
 * has the status 400 and `{ code, message }`. Pages on loopback may read the log, but not submit
 * calls.
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
  const isPage = request.headers.has('origin')
  try {
    const asked = read(requestShape, await textOf(request), 'BadRequest')
    if ('submit' in asked) {
      if (isPage)
        throw new ChainError('BadRequest', 'a page may read the log, but not submit calls')
      const refusal = chain.refusalOf(asked.submit)
      if (refusal !== null) throw new ChainError(refusal)
      return Response.json(chain.submit(asked.submit))
    }
    for await (const { number } of chain.heads(AbortSignal.timeout(waitMs)))
      if (number >= asked.log) break
    const body = bodyOf(chain.exportPieces(asked.log))
    return new Response(body, { headers: { 'content-type': JSON_TYPE } })
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return Response.json({ code: error.code, message: error.message }, { status: 400 })
  }
}

/** The text of a request; empty if it is not allowed or cannot be read. */
async function textOf({ method, headers, body }: Request): Promise<string> {
  // For a page from elsewhere, a browser sends this type only with a permission, which only pages
  // on loopback get.
  const mayAsk = method === 'POST' && headers.get('content-type') === JSON_TYPE
  if (!mayAsk) return ''
  return readText(body, MAX_REQUEST).catch(() => '')
}
