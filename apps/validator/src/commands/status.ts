import { remoteChain } from '@affine/chain'
import { commitmentsOf, epochText, networkOf, output, place, recompute, shortHotkey } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { bucketsIn } from '../setup.ts'

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
    let state: object | undefined
    let decided = 'no epoch is decided yet'
    for await (const settled of recompute({ chain, network, openBucket: bucketsIn(buckets) })) {
      state = settled.state
      decided = epochText(settled, shortHotkey)
    }
    const { number } = await chain.head()
    const { epoch, offset } = place(number, network.protocol)
    const weights = await chain.weights(number)
    const said = [...commitmentsOf(await chain.snapshot(number))].flatMap(([hotkey, commitment]) =>
      commitment.kind === 'miner' ? [] : [{ hotkey, kind: commitment.kind, epoch: commitment.epoch }],
    )
    const lines = [
      `block ${number}, epoch ${epoch}, ${offset} of ${network.protocol.epochBlocks} blocks. Last decided:`,
      decided,
      ...said.map(({ hotkey, kind, epoch }) => `  ${shortHotkey(hotkey)}: ${kind} of epoch ${epoch} is on chain`),
      ...Object.entries(weights).map(([hotkey, row]) => `  ${shortHotkey(hotkey)}: weights ${JSON.stringify(row)}`),
    ]
    output(json).line(lines.join('\n'), { block: number, epoch, offset, state, commitments: said, weights })
  })
