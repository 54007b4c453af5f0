import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { interrupted, output, whole } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { bucketFiles } from '../service/bucket-files.ts'
import { listenWith } from '../service/listen.ts'

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
    using server = await listenWith(bucketFiles(folder), port, host)
    const { url } = server
    const text = `serving ${folder} at ${url}; Ctrl-C ends it`
    output(json).line(text, { type: 'serving', folder, url })
    if (!signal.aborted) await once(signal, 'abort')
    signal.throwIfAborted()
  })
