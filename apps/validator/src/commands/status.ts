import { decodeCommitment, remoteChain } from '@affine/chain'
import { trust } from '@affine/duel'
import {
  epochText,
  networkOf,
  openBucket,
  place,
  type Recomputed,
  recompute,
  share,
  shortHotkey,
} from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { output } from '../output.ts'

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
    const open = (hotkey: string, at: string): ReturnType<typeof openBucket> => openBucket(hotkey, at, buckets)
    for await (const epoch of recompute({ chain, network, openBucket: open })) last = epoch
    const head = await chain.head()
    const { epoch, offset } = place(head.number, network.protocol)
    const { neurons, commitments } = await chain.snapshot(head.number)
    const weights = await chain.weights(head.number)
    const state = last?.state
    const validators = neurons
      .filter(({ permit }) => permit)
      .map(({ hotkey }) => {
        const slot = commitments.find((commitment) => commitment.hotkey === hotkey)
        const commitment = slot && decodeCommitment(slot.fields, hotkey)
        const said = commitment?.kind === 'seal' || commitment?.kind === 'attest' ? commitment : undefined
        const kept = state?.trust[hotkey] ?? { correct: 0, incorrect: 0 }
        const row = weights[hotkey] ?? []
        return { hotkey, trust: trust(kept), last: said && `${said.kind} of epoch ${said.epoch}`, weights: row }
      })
    const lines = [
      `block ${head.number}, epoch ${epoch}, ${offset} of ${network.protocol.epochBlocks} blocks`,
      ...(last === undefined ? ['no epoch is decided yet'] : epochText(last, shortHotkey)),
      `champion ${state?.champion?.hotkey ?? 'none'}, ratio to beat ${share(state?.ratio ?? 0)}`,
      ...(state?.duel === undefined ? [] : [`now contending: ${state.duel.contender.hotkey}`]),
      ...validators.map(
        ({ hotkey, trust, last, weights }) =>
          `  ${shortHotkey(hotkey)} trust ${share(trust)}  ${(last ?? 'nothing committed').padEnd(20)} weights ${JSON.stringify(weights)}`,
      ),
    ]
    output(json ?? false).line(lines.join('\n'), { head, epoch, offset, state, validators })
  })
