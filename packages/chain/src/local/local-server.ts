import * as z from 'zod'
import { ChainError } from '../chain-error.ts'
import { JSON_TYPE, readText } from './body.ts'
import type { LocalChain } from './local-chain.ts'
import { extrinsicShape, natural, read } from './log.ts'

const MAX_REQUEST = 16_384

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
  return async (request) => {
    try {
      const asked = read(requestShape, await textOf(request), 'BadRequest')
      if ('submit' in asked) return Response.json(chain.submit(asked.submit))
      for await (const { number } of chain.heads(AbortSignal.timeout(waitMs)))
        if (number >= asked.log) break
      return new Response(chain.export(asked.log), { headers: { 'content-type': JSON_TYPE } })
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      return Response.json({ code: error.code, message: error.message }, { status: 400 })
    }
  }
}

/** What a request says; nothing for one that may not ask, or that cannot be read. */
async function textOf({ method, headers, body }: Request): Promise<string> {
  // A page from elsewhere can't send this type without a permission that nobody gives.
  const mayAsk = method === 'POST' && headers.get('content-type') === JSON_TYPE
  if (!mayAsk) return ''
  return readText(body, MAX_REQUEST).catch(() => '')
}
