import { readdir, stat } from 'node:fs/promises'
import { listenWith } from '@affine/miners/node'
import { isOnline, NETWORK_HELP } from '@affine/settlement'
import { interrupted, output, readNamed, untilAborted, whole } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { type PageNetwork, pageAndBuckets } from '../service/served-files.ts'

const EXAMPLES = `
Examples:
  $ af serve buckets
  $ af serve buckets --network chain.json
  $ af serve buckets --host 0.0.0.0 --port 80`

/** `af serve`: serves the buckets in a folder, and a page that shows them. */
export const serve: CommandUnknownOpts = new Command('serve')
  .argument('<folder>', 'a bucket, or a folder that holds buckets')
  .option('--port <number>', 'the port to listen at; 0 takes any free port', whole(0, 65_535), 8080)
  .option(
    '--host <address>',
    'the address to listen at; 0.0.0.0 is every address of this machine',
    '127.0.0.1',
  )
  .option(
    '--network <where>',
    "the chain that the page reads: the file of a chain's export, a URL, or finney",
  )
  .option('--json', 'print JSON, one object a line')
  .addHelpText('after', EXAMPLES)
  .action(async (folder, { port, host, network, json }) => {
    await readNamed(readdir(folder))
    const signal = interrupted()
    const served = await pageAndBuckets(folder, await networkNamed(network))
    using server = await listenWith(served, port, host)
    const { url } = server
    const text = `serving ${folder} at ${url}; Ctrl-C ends it`
    output(json).line(text, { type: 'serving', folder, url })
    await untilAborted(signal)
  })

/**
 * A chain's export if there is such a file, else a name or URL that the page opens itself.
 * @throws RangeError, as a rejection, if it is neither.
 */
async function networkNamed(chain: string | undefined): Promise<PageNetwork | undefined> {
  if (chain === undefined) return undefined
  const isFile = await stat(chain).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!isFile && !isOnline(chain))
    throw new RangeError(`"network" expected ${NETWORK_HELP}; got ${JSON.stringify(chain)}`)
  return { chain: isFile ? { file: chain } : { name: chain } }
}
