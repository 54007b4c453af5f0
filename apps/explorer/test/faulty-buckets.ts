import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Listening, listen } from '../../../packages/node/src/listen.ts'

/** Faults of a bucket. */
type Fault = 'missing' | 'no blocks' | 'no states' | 'slow' | 'lying' | 'no CORS'

/** Files that a bucket with this fault lacks. */
const LOST: Readonly<Partial<Record<Fault, RegExp>>> = {
  missing: /./,
  'no blocks': /blocks/,
  'no states': /states/,
}

/** Serves a demo's folder from another origin than the page's, with faults by bucket's hotkey. */
export const serveFaulty = (
  out: string,
  faults: Readonly<Record<string, Fault>>,
): Promise<Listening> =>
  listen(async ({ url }) => {
    const { pathname } = new URL(url)
    const fault = faults[pathname.split('/')[2] ?? '']
    if (fault === 'slow') return new Promise(() => {})
    const headers = fault === 'no CORS' ? {} : { 'access-control-allow-origin': '*' }
    const bytes = await readFile(join(out, pathname)).catch(() => undefined)
    if (bytes === undefined || (fault && LOST[fault]?.test(pathname)))
      return new Response('', { status: 404, headers })
    const middle = bytes.length >> 1
    if (fault === 'lying') bytes[middle] = (bytes[middle] ?? 0) ^ 1
    return new Response(bytes, { headers })
  }, 0)
