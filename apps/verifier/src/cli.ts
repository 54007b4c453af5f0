import { availableParallelism } from 'node:os'
import { openChain } from '@affine/settlement'
import { chainCommand, onChain, run, whole } from '@affine/terminal'
import { verify } from './verify.ts'

const EXIT_CODES = `Exit codes: 0 all holds, 1 something does not, 2 wrong usage.
A validator is named, without a failure, whose samples were statistically far from the others',
that attested without bits of lanes that are whole, or whose weights are not the champion's.`

const EXAMPLES = `
Examples:
  $ af-verify ./buckets --network chain.json
  $ af-verify ./buckets --network chain.json --epoch 2
  $ af-verify ./buckets --network chain.json --epoch 2 --sample mult8@0.1.0#0
  $ af-verify https://example.org/buckets --network http://127.0.0.1:9944

${EXIT_CODES}`

const program = chainCommand('af-verify')
  .description('Recompute a subnet from its public data, byte by byte, and say what holds.')
  .version('0.1.0')
  .argument(
    '[buckets]',
    'folder or URL that holds the buckets announced by name; not needed for https buckets',
  )
  .option('--epoch <n>', 'show this epoch only', whole(0, 1e9))
  .option('--validator <hotkey>', 'of the samples asked for, show those of this validator')
  .option('--block <hash>', 'show the samples of this block')
  .option('--challenge <id>', 'show the samples of this challenge')
  .option('--sample <env#index>', 'show these samples')
  .option(
    '--jobs <n>',
    'check so many blocks at a time, in threads of their own',
    whole(1, 256),
    availableParallelism(),
  )
  .addHelpText('after', EXAMPLES)
  .exitOverride()
  .showHelpAfterError('(see --help)')
  .action((base, options) =>
    onChain(openChain, options, (subnet, screen) => verify(subnet, { ...options, base }, screen)),
  )

await run(program)
