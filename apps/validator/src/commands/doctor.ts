import { findSourceRefusal, TEMPLATES } from '@affine/miners'
import { readRegularFile } from '@affine/node/disk'
import { openChain } from '@affine/settlement'
import { createPathOption, output, printTable, readNamed } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { printExamination } from '../examination/examine.ts'
import { createAccountCommand, readNamedAccount } from '../service/account.ts'
import { addSettingOptions } from '../settings/entries.ts'
import { readSettings } from '../settings/settings.ts'

const CHECKS_HELP = `
It lists the settings of \`af validate\` and their sources, and checks them. It writes \
v1/probes/<hotkey>.json into the bucket, where it stays. For a miner it plays eight challenges \
of each environment. A ✘ must be fixed, and the exit code is 1; a ! is a warning.`

const EXAMPLES = `  $ af doctor --network finney --wallet cold --hotkey hot
  $ af doctor --source stored.py`

const SOURCE = createPathOption(
  '--source <file>',
  "only check a chute's source, and print why validators would refuse it",
).implies({ network: 'local' }) // no network is used, so none is required

export const doctor: CommandUnknownOpts = addSettingOptions(
  createAccountCommand('doctor', EXAMPLES).addOption(SOURCE),
  ({ name, heading }) => name === 'folder' || heading === 'Bucket',
)
  .addHelpText('after', CHECKS_HELP)
  .action(async (options, command) => {
    if (options.source !== undefined) return printSourceRefusal(options.source, options.json)
    const account = await readNamedAccount(options)
    const { hotkey } = account
    const flags = Object.entries(options).filter(
      ([name]) => command.getOptionValueSource(name) === 'cli',
    )
    const read = readSettings(Object.fromEntries(flags))
    const title = { text: `Settings of ${hotkey}:`, record: { type: 'settings', hotkey } }
    printTable(output(options.json), title, read.shown)
    const chain = { firstEpoch: 0, ...options }
    const isWell = await printExamination(openChain, chain, { account, read })
    if (!isWell) process.exitCode = 1
  })

/** Far above the validators' limit, so that a source over that limit is read and refused. */
const MAX_SOURCE_BYTES = 2 ** 20

/** Prints that validators accept a chute's source, or prints why not and sets exit code 1. */
async function printSourceRefusal(path: string, json = false): Promise<void> {
  const { bytes } = await readNamed(readRegularFile(path, MAX_SOURCE_BYTES))
  const refusal = findSourceRefusal(bytes.toString(), TEMPLATES)
  output(json).line(refusal ?? 'validators accept it', { type: 'source', path, refusal })
  if (refusal !== undefined) process.exitCode = 1
}
