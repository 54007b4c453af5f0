import { once } from 'node:events'
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { LIMITS, mediaType } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { interrupted, output, whole } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { etag } from 'hono/etag'
import { type Handler, listen } from '../service/listen.ts'

/** A block or a state of a bucket, whose name may stand before, and no query. */
const ADDRESS = /^http:\/\/[^/]+\/((?:[\w-][\w.-]*\/)?v1\/(?:blocks|states)\/[\w-][\w.-]*)$/
const OPEN = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' }
const FOR_EVER = { 'cache-control': 'public, max-age=31536000, immutable' }

/**
 * Answers GET and HEAD for the blocks and states of the bucket that `folder` is, and of the buckets
 * that it holds, by their names. Lists nothing, follows no link, and serves nothing else in the
 * folder.
 */
export function bucketHandler(folder: string): Handler {
  const app = new Hono().use(compress({ contentTypeFilter: /json/ }), etag())
  app.get('*', async (context) => {
    const [, path] = ADDRESS.exec(context.req.url) ?? []
    if (path === undefined) return context.notFound()
    const bytes = await readInside(folder, path)
    if (bytes === null) return context.notFound()
    const headers = { 'content-type': mediaType(path), 'content-length': `${bytes.length}` }
    return context.body(bytes.slice(), 200, { ...FOR_EVER, ...headers, ...OPEN })
  })
  app.notFound((context) =>
    context.text('not here\n', 404, { 'cache-control': 'no-store', ...OPEN }),
  )
  return app.fetch
}

/** The file's bytes; null when it is not there, or a link is on the way. */
async function readInside(folder: string, path: string): Promise<Uint8Array | null> {
  const place = await realpath(join(folder, path)).catch(() => null)
  if (place !== join(await realpath(folder), path)) return null
  return directoryBucket(folder).read(path, LIMITS.blockBytes)
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
    const text = `serving ${folder} at ${url}; Ctrl-C ends it`
    output(json).line(text, { type: 'serving', folder, url })
    if (!signal.aborted) await once(signal, 'abort')
    signal.throwIfAborted()
  })
