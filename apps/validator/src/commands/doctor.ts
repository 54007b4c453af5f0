import { examine } from '@affine/engine/node'
import { openChain } from '@affine/settlement'
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { BACKENDS } from '../buckets/backends.ts'
import { accountOf, accountOnChain } from '../service/account.ts'
import { examinationOf } from '../service/examination.ts'
import { sayFindings } from '../service/say-findings.ts'
import { withSettings } from '../settings/options.ts'
import { readSettings } from '../settings/settings.ts'

const LOOKS = `
It reads the settings of \`af validate\` too, from the environment and .env. Where they are whole it
looks at the disk, the account at Chutes, and the bucket: it writes v1/probes/<hotkey>.json there,
which stays, and reads it back at the public URL. Of a miner it asks what was committed once, as
validators do.

Example:
  $ af doctor --network finney --wallet cold --hotkey hot`

const command = accountOnChain('doctor').addOption(
  new Option(
    '--buckets <folder|url>',
    'the folder or URL that holds the buckets announced by name; without it none is checked',
  ).env('AFFINE_BUCKETS'),
)

// What `--buckets` means here is more than a folder.
const BUCKETS = BACKENDS.flatMap(({ settings }) => settings.map(({ name }) => name))
const OPTIONS = ['folder', 'bucketUrl', ...BUCKETS.filter((name) => name !== 'buckets')]

/** `af doctor`: is everything there that a validator or a miner needs? */
export const doctor: CommandUnknownOpts = withSettings(command, OPTIONS)
  .description(
    'check what a validator or a miner needs: ' +
      '"✘" must be mended (then it exits with 1), "!" perhaps not',
  )
  .addHelpText('after', LOOKS)
  .action(async (options) => {
    const { hotkey } = await accountOf(options)
    const { buckets: base, ...others } = options
    // At a URL there is nothing to write.
    const isFolder = base !== undefined && !/^https?:/.test(base)
    const read = readSettings(isFolder ? options : others, process.env, {})
    const examination = examinationOf({ hotkey, base }, read)
    const isWell = await sayFindings(openChain, {
      options,
      hide: read.hide,
      look: (subnet, signal) => examine(subnet, examination, signal),
    })
    if (!isWell) process.exitCode = 1
  })
