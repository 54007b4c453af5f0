import { chainCommand, commitmentsOf, epochText, onChain, openChain, place, recompute } from '@affine/verifier'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { bucketsIn } from '../setup.ts'

/** `af status`: where a subnet stands, from its public data. */
export const status: CommandUnknownOpts = chainCommand('status')
  .description('where a subnet stands: epoch, duel, lanes, trust, weights')
  .requiredOption('--buckets <folder|url>', 'where the buckets of the validators are')
  .addHelpText('after', '\nExample:\n  $ af status --network http://127.0.0.1:9944 --buckets buckets')
  .action(({ buckets, ...options }) =>
    onChain(openChain, options, async ({ chain, network }, screen) => {
      let state: object | undefined
      let decided = 'no epoch is decided yet'
      for await (const settled of recompute({ chain, network, openBucket: bucketsIn(buckets) })) {
        state = settled.state
        decided = epochText(settled)
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
        ...said.map(({ hotkey, kind, epoch }) => `  ${hotkey}: ${kind} of epoch ${epoch} is on chain`),
        ...Object.entries(weights).map(([hotkey, row]) => `  ${hotkey}: weights ${JSON.stringify(row)}`),
      ]
      screen.line(lines.join('\n'), { block: number, epoch, offset, state, commitments: said, weights })
    }),
  )
