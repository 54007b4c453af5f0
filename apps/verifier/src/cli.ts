import { openChain } from '@affine/settlement'
import { chainCommand, completionOf, onChain, output, run, whole } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { join } from './join.ts'
import { verify } from './verify.ts'

const EXIT_CODES = `Exit codes: 0 all holds, 1 something does not, 2 wrong usage.
3: what was looked at holds, but with --copies not all copies of blocks were compared.
A run whose reader leaves ends there with 0, and has not said that all holds.
A validator is named, without a failure, whose samples were statistically far from the others',
that attested without bits of lanes that are whole, or whose weights are not the champion's.`

const EXAMPLES = `
Examples:
  $ af-verify ./buckets --network chain.json
  $ af-verify ./buckets --network chain.json --epoch 2
  $ af-verify ./buckets --network chain.json --epoch 2 --sample mult8@0.1.0#0
  $ af-verify https://example.org/buckets --network http://127.0.0.1:9944
  $ af-verify --network finney --from-epoch 28000 --to-epoch 28499 --json > 28000.json
  $ af-verify join *.json

${EXIT_CODES}`

const JOIN_EXAMPLE = `
Example:
  $ af-verify join first.json second.json

Exit codes: as of a run in one piece; 2 where the files do not form one unbroken history from the
network's first state on.`

const joining = new Command('af-verify join')
  .description('Say what a run in one piece says, of files of stretches that follow one another.')
  .argument('<files...>', 'what runs with --from-epoch, --to-epoch and --json said')
  .option('--json', 'print JSON, one object a line')
  .addHelpText('after', JOIN_EXAMPLE)
  .action((files, { json }) => join(files, output(json)))

const verifying = chainCommand('af-verify')
  .description('Recompute a subnet from its public data, byte by byte, and say what holds.')
  .version('0.1.0')
  .argument(
    '[buckets]',
    'folder or URL that holds the buckets announced by name; not needed for https buckets',
  )
  .option('--epoch <n>', 'show this epoch only', whole(0, 1e9))
  .option('--from-epoch <n>', 'begin with the state that was attested for it', whole(0, 1e9))
  .option('--to-epoch <n>', 'end with this epoch', whole(0, 1e9))
  .option('--validator <hotkey>', 'of the samples asked for, show those of this validator')
  .option('--block <hash>', 'show the samples of this block')
  .option('--challenge <id>', 'show the samples of this challenge')
  .option('--sample <env#index>', 'show these samples, of any version without one: mult8#0')
  .option(
    '--jobs <n>',
    'check so many blocks at a time, in threads of their own; without, as many as there are ' +
      'processors, once there is enough to check',
    whole(1, 256),
  )
  .option(
    '--copies <n>',
    'compare so many copies of each block; all without. They are drawn anew in every run: ' +
      'what it finds, and its digest, depend on that',
    whole(0, 1e9),
  )
  .addHelpText('after', EXAMPLES)
  .action((named, options) => {
    const base = named ?? (process.env.AFFINE_BUCKETS || undefined)
    return onChain(openChain, options, (subnet, screen) =>
      verify(subnet, { ...options, base }, screen),
    )
  })

// No subcommands, which would have to be given the options of every run.
const others: CommandUnknownOpts[] = [joining]
others.push(completionOf(verifying, others).name('af-verify completion'))
const other = others.find((command) => command.name() === `af-verify ${process.argv[2]}`)
if (other) process.argv.splice(2, 1)
await run(other ?? verifying)
