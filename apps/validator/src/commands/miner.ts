import { once } from 'node:events'
import { type Account, encodeCommitment } from '@affine/chain'
import { serveMiner } from '@affine/miners/node'
import { openLive } from '@affine/settlement'
import {
  type ChainOptions,
  interrupted,
  NETUID,
  networkOption,
  onChain,
  output,
  shareOption,
  whole,
} from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { accountOf, withAccount } from '../service/account.ts'
import { Requests } from './requests.ts'

const EXAMPLES = `
Examples:
  $ af miner --skill 0.8 --port 8001
  $ af miner --network http://127.0.0.1:9944 --key localnet/keys/miner-1`

/** On a screen, at most one request a second is printed. */
const STRETCH_MS = 1000

/** `af miner`: a reference miner behind HTTP. */
export const miner: CommandUnknownOpts = withAccount(
  new Command('miner').option('--json', 'print JSON, one object a line'),
)
  .option('--skill <share>', 'the share of replies that are perfect, 0 to 1', shareOption, 0.8)
  .option('--port <number>', 'the port to listen at; 0 takes any free port', whole(0, 65_535), 8001)
  .addOption(
    networkOption(
      "commit the miner on this chain: local, test, a node's URL, or that of `af localnet`",
    ),
  )
  .addOption(NETUID)
  .addHelpText('after', EXAMPLES)
  .action(async ({ skill, port, network, ...options }) => {
    const { json, ...committing } = options
    if (network === undefined && Object.keys(committing).length > 0) {
      const wanted = 'the chain on which to commit the miner'
      throw new RangeError(`a hotkey or a subnet needs "--network", ${wanted}`)
    }
    const screen = output(json)
    const account = network === undefined ? undefined : await accountOf(options)
    const signal = interrupted()
    const requests = new Requests(screen, json ? 0 : STRETCH_MS)
    using server = await serveMiner({ skill, seed: 'miner' }, port, (asked) => requests.add(asked))
    const { url } = server
    const text = `serving ${url}, skill ${skill}; Ctrl-C ends it`
    screen.line(text, { type: 'serving', url, skill })
    try {
      if (network !== undefined && account !== undefined)
        await commitMiner(account, url, { ...options, network })
      if (!signal.aborted) await once(signal, 'abort')
      signal.throwIfAborted()
    } finally {
      if (signal.aborted) requests.end()
    }
  })

/**
 * Commits a miner that answers at `url`.
 * @throws RangeError on a careful network, such as finney: a reference miner is only for tests.
 */
async function commitMiner(account: Account, url: string, options: ChainOptions): Promise<void> {
  const model = `affine/reference-${account.hotkey}`
  const fields = encodeCommitment({ kind: 'miner', model, revision: 'main', chute: url })
  await onChain(openLive, { firstEpoch: 0, ...options }, async ({ chain, network }, screen) => {
    if (network.careful)
      throw new RangeError(`"network" expected a network for tests, got ${options.network}`)
    const { number: block } = await chain.commit(account, fields)
    screen.line(`committed ${model} in block ${block}`, { type: 'committed', model, block })
  })
}
