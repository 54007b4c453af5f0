import { readdir } from 'node:fs/promises'
import { listenWith } from '@affine/miners/node'
import { isOnline } from '@affine/settlement'
import {
  CHAIN,
  faultIn,
  interrupted,
  output,
  readNamed,
  untilAborted,
  whole,
} from '@affine/terminal'
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
    const served = await pageAndBuckets(folder, networkNamed(network))
    using server = await listenWith(served, port, host)
    const { url } = server
    const text = `serving ${folder} at ${url}; Ctrl-C ends it`
    output(json).line(text, { type: 'serving', folder, url })
    await untilAborted(signal)
  })

/**
 * A name or URL that the page opens itself, else the file of a chain's export.
 * @throws RangeError if it is neither.
 */
function networkNamed(chain: string | undefined): PageNetwork | undefined {
  if (chain === undefined) return undefined
  const fault = faultIn(CHAIN.network, chain)
  if (fault !== undefined) throw new RangeError(`"network" ${fault}; got ${JSON.stringify(chain)}`)
  return { chain: isOnline(chain) ? { name: chain } : { file: chain } }
}
