import { sourceRefusals, TEMPLATES } from '@affine/miners'
import { readRegularFile } from '@affine/node/disk'
import { openChain } from '@affine/settlement'
import { type Output, output, ownVariables, readNamed, table, wholePath } from '@affine/terminal'
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { sayExamination } from '../examination/examine.ts'
import { accountOf, accountOnChain } from '../service/account.ts'
import { givenIn, withSettings } from '../settings/found-settings.ts'
import { expectNone, folderProblems, readSettings } from '../settings/settings.ts'
import type { Named } from '../settings/table.ts'
import { BUCKETS } from './replay.ts'

const LOOKS = `
It first lists the settings of \`af validate\` that are set, and where: options, the environment \
or .env. If they are complete, it tests the disk, the account at Chutes, and the bucket: it writes \
v1/probes/<hotkey>.json there, which stays, tries to overwrite it, and reads it back at the public \
URL. For a miner it plays eight challenges of each environment with the committed endpoint or \
chute, asked as validators ask it, and judges the replies.

Examples:
  $ af doctor --network finney --wallet cold --hotkey hot
  $ af doctor --source chute.py`

const command = accountOnChain('doctor')
  .addOption(BUCKETS)
  .addOption(
    new Option(
      '--source <file>',
      "only read a chute's source, before it is deployed, and say all that validators would refuse",
    )
      .argParser((path) => wholePath(path, 'source'))
      .implies({ network: 'local' }), // nothing is asked then, so that none has to be named
  )

/** Here `--buckets` may also be a URL. */
const isOwn = ({ name, heading }: Named): boolean =>
  name === 'folder' || (heading === 'Bucket' && name !== 'buckets')

/** `af doctor`: tests everything that a validator or a miner needs. */
export const doctor: CommandUnknownOpts = withSettings(command, isOwn)
  .addHelpText('after', LOOKS)
  .action(async (options, command) => {
    if (options.source !== undefined) return judgeSource(options.source, output(options.json))
    const account = await accountOf(options)
    const { hotkey } = account
    const { buckets: base, ...others } = options
    // A URL cannot be written to.
    const isFolder = base !== undefined && !/^https?:/.test(base)
    const flags = Object.entries(isFolder ? options : others).filter(
      ([name]) => command.getOptionValueSource(name) === 'cli',
    )
    const unused = isFolder ? {} : { AFFINE_BUCKETS: undefined }
    const read = readSettings(Object.fromEntries(flags), { ...ownVariables(), ...unused })
    // At once, and not as a finding: a look at the disk would write into a public folder.
    expectNone(folderProblems(givenIn(read.found)))
    const rows = read.shown.filter(({ from }) => from !== '-' && from !== 'default')
    const title = { text: `Settings of ${hotkey}:`, record: { type: 'settings', hotkey } }
    table(output(options.json), title, rows)
    const chain = { firstEpoch: 0, ...options }
    const isWell = await sayExamination(openChain, chain, { account, base, read })
    if (!isWell) process.exitCode = 1
  })

/** Much more than a chute's source may have, so that the source's own fault is reported. */
const MOST_SOURCE_BYTES = 2 ** 20

/** Says all for which a chute's source is refused; if anything, the process ends with 1. */
async function judgeSource(path: string, screen: Output): Promise<void> {
  const { bytes } = await readNamed(readRegularFile(path, MOST_SOURCE_BYTES))
  const refusals = sourceRefusals(bytes.toString(), TEMPLATES)
  const text = refusals.length === 0 ? 'nothing in it is refused' : refusals.join('\n')
  screen.line(text, { type: 'source', path, refusals })
  if (refusals.length > 0) process.exitCode = 1
}
