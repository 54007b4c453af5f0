import { readdir } from 'node:fs/promises'
import { listenWith } from '@affine/node/listen'
import { findNetwork, isOnline, LOCAL_NETWORK } from '@affine/settlement'
import {
  CHAIN,
  type ChainOptions,
  chainCommand,
  FIRST_EPOCH,
  findFault,
  interrupted,
  maskUrls,
  output,
  printNetwork,
  readNamed,
  readNames,
  waitForAbort,
  whole,
} from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { type PageNetwork, servePageAndBuckets } from '../service/served-files.ts'

const EXAMPLES = `  $ af serve buckets
  $ af serve buckets --network chain.json
  $ af serve buckets --host 0.0.0.0 --port 80`

export const serve: CommandUnknownOpts = chainCommand('serve', EXAMPLES, 'finney')
  .argument('<folder>', 'a bucket, or a folder of buckets')
  .addOption(FIRST_EPOCH)
  .option('--port <number>', 'the port to listen on; 0 for any free port', whole(0, 65_535), 8080)
  .option(
    '--host <address>',
    'the address to listen on; 0.0.0.0 for all addresses of this machine',
    '127.0.0.1',
  )
  .action(async (folder, { port, host, json, ...options }, command) => {
    await readNamed(readdir(folder))
    const signal = interrupted()
    const isByVariable = command.getOptionValueSource('network') === 'env'
    const served = await servePageAndBuckets(folder, await pageNetwork(options, isByVariable))
    using server = await listenWith(served, port, host)
    const { url } = server
    const text = `serving ${folder} at ${url}; Ctrl-C stops it`
    output(json).line(text, { type: 'serving', folder, url })
    await waitForAbort(signal)
  })

/**
 * Returns the network of the page, and prints it. The page reads only the first of several nodes.
 * @throws RangeError if the options name neither a chain that the page can open nor the file of a
 *   chain's export, or if the URL in a variable may contain a key.
 */
async function pageNetwork(
  { network, networkFrom, netuid, firstEpoch }: ChainOptions,
  isByVariable: boolean,
): Promise<PageNetwork> {
  const fault = findFault(CHAIN.network, network)
  if (fault !== undefined)
    throw new RangeError(`"network" ${fault}; got ${JSON.stringify(network)}`)
  const [node = ''] = isOnline(network) ? network.split(',', 1) : [network]
  if (isByVariable && maskUrls(node) !== node)
    throw new RangeError(
      `the URL in ${networkFrom} may contain a key, which the page would publish: name the ` +
        'chain of the page with --network',
    )
  printNetwork({ network: node, networkFrom }, netuid ?? findNetwork(node)?.netuid)
  if (!isOnline(network)) {
    const names = await readNames(network)
    return { chain: { file: network }, names, netuid, firstEpoch }
  }
  const [loopback = node] = LOCAL_NETWORK.endpoints
  return { chain: { name: node === 'local' ? loopback : node }, netuid, firstEpoch }
}
