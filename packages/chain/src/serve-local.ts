import { readText } from './body.ts'
import { ChainError } from './chain.ts'
import { isExtrinsic } from './extrinsic.ts'
import type { LocalChain } from './local-chain.ts'
import { PAGE_BLOCKS } from './replica.ts'
import { integer, parseJson, record } from './shape.ts'

const MAX_BODY = 16_384
const JSON_TYPE = 'application/json'

const asksLog = record({ log: integer(0) })
const submits = record({ submit: isExtrinsic })

/**
 * Serves a local chain to `remoteChain`: a handler of web-standard requests to any path. For loopback.
 *
 * Takes POSTs of at most 16 KiB of JSON. `{ log: n }` gets the log from block n on, at most 256 blocks of it; `{ submit:
 * extrinsic }` gets the head of the block that carried it out. For what is not there yet it waits `waitMs`, and then
 * gives no blocks, or null. What is refused gets a status of 400 and `{ code, message }`.
 */
export function serveLocal(
  chain: LocalChain,
  { waitMs = 20_000 }: { readonly waitMs?: number } = {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      // A page from elsewhere can't send this type without a permission that nobody gives.
      if (request.method !== 'POST' || request.headers.get('content-type') !== JSON_TYPE)
        throw badRequest('POST application/json')
      const call = parseJson(await readText(request.body, MAX_BODY).catch(() => ''))
      const signal = AbortSignal.timeout(waitMs)
      if (asksLog(call)) {
        for await (const { number } of chain.heads(signal)) if (number >= call.log) break
        return new Response(chain.export(call.log, PAGE_BLOCKS), { headers: { 'content-type': JSON_TYPE } })
      }
      if (!submits(call)) throw badRequest(`{"log": number} or {"submit": extrinsic} in at most ${MAX_BODY} bytes`)
      return Response.json(await Promise.race([chain.submit(call.submit), ended(signal)]))
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      return Response.json({ code: error.code, message: error.message }, { status: 400 })
    }
  }
}

const badRequest = (wanted: string) => new ChainError('BadRequest', `BadRequest: send ${wanted}`)

const ended = (signal: AbortSignal) =>
  new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }))
