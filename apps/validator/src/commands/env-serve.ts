import { once } from 'node:events'
import { interrupted, output, whole } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { MOST_SESSIONS } from '../openenv/session.ts'

const EXAMPLES = `
Examples:
  $ af env serve tictactoe-v0
  $ af env serve tictactoe-v0 mult8-v0 --port 8100      # /tictactoe-v0 and /mult8-v0

In Python, with openenv-core:
  GenericEnvClient("http://127.0.0.1:8000").sync()`

/** `af env serve`: environments for those who train. */
export const envServe: CommandUnknownOpts = new Command('serve')
  .description('serve environments to OpenEnv clients')
  .argument('<env...>', 'each below its name, the first at the root too')
  .option('--port <number>', '0 takes any that is free', whole(0, 65_535), 8000)
  .option('--host <address>', 'where to listen; 0.0.0.0 is everywhere', '127.0.0.1')
  .option('--sessions <n>', 'at once', whole(1, MOST_SESSIONS), MOST_SESSIONS)
  .option('--idle <seconds>', 'how long a session may say nothing', whole(1, 86_400), 600)
  .option('--json', 'print JSON, one object a line')
  .addHelpText('after', EXAMPLES)
  .action(async (envs, { port, host, sessions, idle, json }) => {
    const { serveEnvironments } = await import('../openenv/server.ts')
    const signal = interrupted()
    const serving = { port, host, sessions, idleMs: idle * 1000 }
    using server = await serveEnvironments(envs, serving)
    const { url } = server
    const text = `serving ${envs.join(', ')} at ${url}; Ctrl-C ends it`
    output(json).line(text, { type: 'serving', envs, url })
    if (!signal.aborted) await once(signal, 'abort')
    signal.throwIfAborted()
  })
