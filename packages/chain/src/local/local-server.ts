import { ChainError } from '../chain-error.ts'
import type { LocalChain } from './local-chain.ts'
import { placeOf } from './log.ts'
import {
  type ChainQuestion,
  JSON_TYPE,
  jsonOf,
  questionShape,
  readText,
  textOfSnapshot,
} from './questions.ts'

const MAX_REQUEST = 16_384

/** The origin of a page that the reader's own machine serves. */
const LOOPBACK_PAGE = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?$/

/**
 * Serves a local chain to `remoteChain`. Returns a handler of web-standard requests to any path.
 * Use it on loopback only: it has no authentication.
 *
 * A request is a POST of at most 16 KiB of JSON: a `ChainQuestion`. It is answered with
 * `{ genesis, netuid, value }`. `{ heads }` is answered once there is such a block, and after
 * `waitMs` milliseconds without heads. `{ submit }` is answered once the call waits for the next
 * block. A refusal has the status 400 and `{ code, message }`. Pages on loopback may read the
 * chain, but not submit calls.
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
  const { genesis, netuid } = chain
  try {
    const question = await questionIn(request)
    if (question.submit && request.headers.has('origin'))
      throw new ChainError('BadRequest', 'a page may read the chain, but not submit calls')
    const value = await valueFor(question, chain, waitMs)
    return Response.json({ genesis, netuid, value })
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return Response.json({ code: error.code, message: error.message }, { status: 400 })
  }
}

async function valueFor(
  question: ChainQuestion,
  chain: LocalChain,
  waitMs: number,
): Promise<unknown> {
  const { heads, block, snapshot, weights, basis, submit } = question
  if (heads !== undefined) return Promise.race([chain.headsFrom(heads), noneAfter(waitMs)])
  if (block !== undefined) return chain.block(block)
  if (snapshot !== undefined) return textOfSnapshot(await chain.snapshot(snapshot))
  if (weights !== undefined) return chain.weights(weights)
  if (basis !== undefined) return chain.basisOf(basis)
  return submit && chain.submit(submit).signature
}

/** No heads, after so many milliseconds. */
const noneAfter = (ms: number): Promise<readonly []> =>
  new Promise((resolve) => {
    AbortSignal.timeout(ms).onabort = () => resolve([])
  })

async function questionIn(request: Request): Promise<ChainQuestion> {
  const value = jsonOf(await textOf(request))
  const wrong = questionShape(value)
  if (wrong === undefined) return value as ChainQuestion
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
