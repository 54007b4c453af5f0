import { once } from 'node:events'
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { LIMITS, mediaType } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { interrupted, output } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { etag } from 'hono/etag'
import { listen } from '../reference-miner.ts'
import { whole } from './options.ts'

/** A block or a state of a bucket, whose name may stand before, and no query. */
const ADDRESS = /^http:\/\/[^/]+\/((?:[\w-][\w.-]*\/)?v1\/(?:blocks|states)\/[\w-][\w.-]*)$/
const OPEN = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' }

/**
 * Answers GET and HEAD for the blocks and states of the bucket that `folder` is, and of the buckets
 * that it holds, by their names. Lists nothing, follows no link, and serves nothing else in the
 * folder.
 */
export function bucketHandler(folder: string): (request: Request) => Response | Promise<Response> {
  const app = new Hono().use(compress({ contentTypeFilter: /json/ }), etag())
  app.get('*', async (context) => {
    const [, path = ''] = ADDRESS.exec(context.req.url) ?? []
    const place = path && (await realpath(join(folder, path)).catch(() => ''))
    const isHere = place && place === join(await realpath(folder), path)
    const bytes = isHere ? await directoryBucket(folder).read(path, LIMITS.blockBytes) : null
    if (bytes === null) return context.notFound()
    const headers = {
      'content-type': mediaType(path),
      'content-length': `${bytes.length}`,
      ...OPEN,
    }
    return context.body(bytes.slice(), 200, {
      'cache-control': 'public, max-age=31536000, immutable',
      ...headers,
    })
  })
  app.notFound((context) =>
    context.text('not here\n', 404, { 'cache-control': 'no-store', ...OPEN }),
  )
  return app.fetch
}

/** `af serve`: what validators wrote to a folder, for everyone. */
export const serve: CommandUnknownOpts = new Command('serve')
  .description('serve a bucket, or a folder of buckets, over HTTP')
  .argument('<folder>', 'a bucket; or a folder of buckets, each below its name')
  .option('--port <number>', '0 takes any that is free', whole(0, 65_535), 8080)
  .option('--host <address>', 'where to listen; 0.0.0.0 is everywhere', '127.0.0.1')
  .option('--json', 'one JSON object a line')
  .addHelpText(
    'after',
    '\nExamples:\n  $ af serve buckets\n  $ af serve buckets --host 0.0.0.0 --port 80',
  )
  .action(async (folder, { port, host, json }) => {
    await readdir(folder)
    const signal = interrupted()
    using server = await listen(bucketHandler(folder), port, host)
    const { url } = server
    output(json).line(`serving ${folder} at ${url}; Ctrl-C ends it`, {
      type: 'serving',
      folder,
      url,
    })
    if (!signal.aborted) await once(signal, 'abort')
    signal.throwIfAborted()
  })
