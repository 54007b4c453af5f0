import { decodeCommitment, remoteChain } from '@affine/chain'
import { trust } from '@affine/duel'
import {
  epochText,
  networkOf,
  openBucket,
  output,
  place,
  type Recomputed,
  recompute,
  share,
  shortHotkey,
} from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'

/** `af status`: where a subnet stands, from its public data. */
export const status: CommandUnknownOpts = new Command('status')
  .description('where a subnet stands: epoch, duel, lanes, trust, weights')
  .requiredOption('--chain <url>', 'where `af localnet` serves the chain')
  .requiredOption('--buckets <folder|url>', 'where the buckets of the validators are')
  .option('--network <name>', 'whose rules', 'local')
  .option('--json', 'one JSON object')
  .addHelpText('after', '\nExample:\n  $ af status --chain http://127.0.0.1:9944 --buckets buckets')
  .action(async ({ chain: url, buckets, network: name, json }) => {
    const [chain, network] = [await remoteChain(url), networkOf(name)]
    let last: Recomputed | undefined
    const epochs = recompute({ chain, network, openBucket: (hotkey, at) => openBucket(hotkey, at, buckets) })
    for await (const epoch of epochs) last = epoch
    const { number } = await chain.head()
    const { epoch, offset } = place(number, network.protocol)
    const { neurons, commitments } = await chain.snapshot(number)
    const weights = await chain.weights(number)
    const state = last?.state
    const validators = neurons
      .filter(({ permit }) => permit)
      .map(({ hotkey }) => {
        const slot = commitments.find((commitment) => commitment.hotkey === hotkey)
        const said = slot && decodeCommitment(slot.fields, hotkey)
        const latest = said && said.kind !== 'miner' ? `${said.kind} of epoch ${said.epoch}` : 'nothing committed'
        const trusted = trust(state?.trust[hotkey] ?? { correct: 0, incorrect: 0 })
        return { hotkey, trust: trusted, latest, weights: weights[hotkey] ?? [] }
      })
    const lines = [
      `block ${number}, epoch ${epoch}, ${offset} of ${network.protocol.epochBlocks} blocks`,
      last === undefined ? 'no epoch is decided yet' : epochText(last, shortHotkey),
      `champion ${state?.champion?.hotkey ?? 'none'}, contender ${state?.duel?.contender.hotkey ?? 'none'}`,
      ...validators.map(
        ({ hotkey, trust, latest, weights }) =>
          `  ${shortHotkey(hotkey)} trust ${share(trust)}  ${latest.padEnd(20)} weights ${JSON.stringify(weights)}`,
      ),
    ]
    output(json).line(lines.join('\n'), { block: number, epoch, offset, state, validators })
  })
