import { chainCommand, EXIT_CODES_TEXT, FIRST_EPOCH, textIn, whole } from '@affine/terminal'
import { formatPurpose } from '@affine/terminal/run'
import manifest from '../package.json' with { type: 'json' }

const EXIT_CODES = `
Exit codes:
${EXIT_CODES_TEXT}
With 4 there is no result. If the reader closes the output early, the program
stops with 0, without a result. Three findings about validators are not
failures: samples statistically far from the others', an attestation that omits
valid lanes, and weights for the wrong hotkey.`

const EXAMPLES = `  $ af-verify ./buckets --network chain.json
  $ af-verify ./buckets --network chain.json --epoch 2
  $ af-verify ./buckets --network chain.json --epoch 2 --sample mult8@0.1.0#0
  $ af-verify https://example.org/buckets --network http://127.0.0.1:9944
  $ af-verify --network finney --from-epoch 100000 --to-epoch 100499 --json > a.json
  $ af-verify ./buckets --network chain.json --json --samples > history.jsonl
  $ af-verify proof ./proof.json --network chain.json`

const readSampleName = textIn('an environment and an index, such as mult8#0', (text) =>
  /^[^#]+#\d+$/.test(text),
)

/** The command without its action, so that its options have a type. */
export const history = chainCommand('af-verify', EXAMPLES)
  .description('Recompute a subnet from its public data, byte by byte, and report its flaws.')
  .version(manifest.version)
  .argument(
    '[buckets]',
    'the folder or URL of the buckets announced by name; not needed for https buckets',
  )
  .addOption(FIRST_EPOCH)
  .option('--epoch <n>', 'show this epoch only', whole(0, 1e9))
  .option('--from-epoch <n>', 'begin with this epoch, from its attested state', whole(0, 1e9))
  .option('--to-epoch <n>', 'end with this epoch', whole(0, 1e9))
  .option('--samples', 'print the samples of all valid lanes, above the report of their epoch')
  .option(
    '--sample <env#index>',
    'show this sample; without a version, for every version: mult8#0',
    readSampleName,
  )
  .option(
    '--jobs <n>',
    'check this many blocks concurrently, each in its own thread, after the first 16 MiB ' +
      '(default: the number of processors)',
    whole(1, 256),
  )
  .option(
    '--copies <n>',
    'compare this many copies of each block (default: all). Every run draws other copies, so ' +
      'its findings may differ',
    whole(0, 1e9),
  )
  .addHelpText('beforeAll', formatPurpose)
  .addHelpText('after', EXIT_CODES)

export type HistoryOptions = ReturnType<typeof history.opts>
