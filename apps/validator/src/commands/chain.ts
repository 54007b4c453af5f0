import { decimalOf, readSlot, type Snapshot } from '@affine/chain'
import { openChain, type Subnet } from '@affine/settlement'
import { chainCommand, onChain, type Rows, table, whole } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'

/** A part of a subnet at a block. */
interface ChainView {
  readonly name: string
  readonly about: string
  readonly read: (snapshot: Snapshot, subnet: Subnet) => Rows | Promise<Rows>
}

const VIEWS: readonly ChainView[] = [
  {
    name: 'snapshot',
    about: 'the neurons, with their stake in TAO or alpha',
    read: ({ neurons }) =>
      neurons.map(({ uid, hotkey, stake, ...rest }) => ({
        uid,
        hotkey,
        stake: decimalOf(stake),
        ...rest,
      })),
  },
  {
    name: 'commitments',
    about: 'what each hotkey has committed',
    read: ({ commitments }) => commitments.map(readSlot),
  },
  {
    name: 'weights',
    about: 'the weights in force: by validator, pairs of uid and weight',
    read: async ({ head, neurons }, subnet) => {
      const rows = await subnet.chain.weights(head.number)
      const setters = neurons.filter(({ hotkey }) => rows[hotkey])
      return setters.map(({ uid, hotkey }) => ({ uid, hotkey, weights: rows[hotkey] }))
    },
  },
]

/** `af chain`: what is on chain. */
export const chain: CommandUnknownOpts = new Command('chain').description(
  'look at a subnet on chain',
)
for (const view of VIEWS) chain.addCommand(viewCommand(view))

function viewCommand({ name, about, read }: ChainView): CommandUnknownOpts {
  return chainCommand(name)
    .description(about)
    .option(
      '--block <n>',
      'the number of a block: show the state after it (default: the newest block)',
      whole(0, 2 ** 32 - 1),
    )
    .addHelpText('after', `\nExample:\n  $ af chain ${name} --network finney`)
    .action(({ block, ...options }) =>
      onChain(openChain, { firstEpoch: 0, ...options }, async (subnet, screen) => {
        const at = block ?? (await subnet.chain.head()).number
        const snapshot = await subnet.chain.snapshot(at)
        const { head, tempo, revealPeriod } = snapshot
        const { netuid } = subnet.chain
        const title = {
          text: `subnet ${netuid} at the end of block ${head.number}`,
          record: { type: name, netuid, ...head, tempo, revealPeriod },
        }
        table(screen, title, await read(snapshot, subnet))
      }),
    )
}
