import { type Account, encodeCommitment } from '@affine/chain'
import { serveMiner } from '@affine/miners/node'
import { openLive } from '@affine/settlement'
import {
  type ChainOptions,
  createCommand,
  ENV_MODULES,
  interrupted,
  NETUID,
  networkOption,
  output,
  shareOption,
  waitForAbort,
  whole,
  withChain,
} from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { addAccountOptions, readNamedAccount } from '../service/account.ts'

const EXAMPLES = `  $ af miner --skill 0.8 --port 8001
  $ af miner --network http://127.0.0.1:9944 --key localnet/keys/miner-1`

export const miner: CommandUnknownOpts = addAccountOptions(createCommand('miner', EXAMPLES))
  .option('--skill <share>', 'the share of perfect replies, 0 to 1', shareOption, 0.8)
  .option('--port <number>', 'the port to listen on; 0 for any free port', whole(0, 65_535), 8001)
  .addOption(ENV_MODULES)
  .addOption(
    networkOption(
      "commit the miner on this chain: local, test, a node's URL, or that of `af localnet`",
    ),
  )
  .addOption(NETUID)
  .action(async ({ skill, port, network, ...options }) => {
    const { json, envModule: _, ...committing } = options
    if (network === undefined && Object.keys(committing).length > 0) {
      const purpose = 'the chain to commit the miner on'
      throw new RangeError(`a hotkey or a subnet needs "--network", ${purpose}`)
    }
    const screen = output(json)
    const account = network === undefined ? undefined : await readNamedAccount(options)
    const signal = interrupted()
    using server = await serveMiner({ skill, seed: 'miner' }, port)
    const { url } = server
    const text = `serving ${url}, skill ${skill}; Ctrl-C stops it`
    screen.line(text, { type: 'serving', url, skill })
    if (network !== undefined && account !== undefined)
      await commitMiner(account, url, { ...options, network })
    await waitForAbort(signal)
  })

/**
 * Commits a miner that is served at `url`.
 * @throws RangeError on a careful network such as finney: a reference miner is only for tests.
 */
async function commitMiner(account: Account, url: string, options: ChainOptions): Promise<void> {
  const model = `affine/reference-${account.hotkey}`
  const fields = encodeCommitment({ kind: 'miner', model, revision: 'main', chute: url })
  await withChain(openLive, { firstEpoch: 0, ...options }, async ({ chain, network }, screen) => {
    if (network.careful)
      throw new RangeError(`"network" expected a network for tests, got ${options.network}`)
    screen.wait('waiting for the block with the commitment')
    const { number: block } = await chain.commit(account, fields)
    screen.line(`committed ${model} in block ${block}`, { type: 'committed', model, block })
  })
}
