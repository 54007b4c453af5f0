import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { OWNERS } from '@affine/node/disk'
import { openLive } from '@affine/settlement'
import { createCommand, ENV_FILE, formatCommand, output } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { printExamination } from '../examination/examine.ts'
import { warn } from '../service/narrate.ts'
import { addSettingOptions } from '../settings/entries.ts'
import { formatEnvFile } from '../settings/env-file.ts'
import { formatProblems, readService } from '../settings/settings.ts'

const HOW = `
In a terminal, without --json, it asks for the needed settings that no option gives, and proposes \
the values of the environment or .env. Otherwise it asks nothing, and reads secrets from \
variables, because they have no options: AFFINE_HOTKEY, CHUTES_API_KEY, S3_ACCESS_KEY_ID and \
S3_SECRET_ACCESS_KEY.`

const EXAMPLES = `  $ af setup
  $ af setup --network finney --wallet validator --hotkey default`

const ASKED = ['Chain', 'Hotkey', 'Bucket']

export const setup: CommandUnknownOpts = addSettingOptions(
  createCommand('setup', EXAMPLES),
  ({ heading, name }) => name === 'folder' || ASKED.includes(heading),
)
  .option('--overwrite', 'replace an existing .env')
  .option('--anyway', 'write .env even if a check fails')
  .addHelpText('after', HOW)
  .action(async ({ overwrite = false, anyway, ...flags }, command) => {
    if (!overwrite) expectNoFile()
    const canAsk = !flags.json && process.stdin.isTTY && process.stdout.isTTY
    const prompts = canAsk ? await import('./setup/ask.ts') : undefined
    const answers = await prompts?.askSettings(flags)
    const { settings, account, ...read } = await readService(flags, answers)
    if (!settings || !account) return command.error(formatProblems(read))
    const screen = output(flags.json)
    for (const text of read.warnings) warn(screen, text)
    const examined = { account, isValidator: true, read: { ...read, settings } }
    const isWell = await printExamination(openLive, { ...flags, ...settings }, examined)
    const isWanted = isWell || anyway || (await prompts?.confirm(`Write ${ENV_FILE} anyway?`))
    if (!isWanted)
      throw new Error(`${ENV_FILE} is not written: fix the failed checks, or use --anyway`)
    await writeEnvFile(formatEnvFile(read.entries), overwrite)
    const next = `${formatCommand('af')} validate`
    const text = `${ENV_FILE} is written, readable only by this user. Next: ${next}`
    screen.line(text, { type: 'written', next })
  })

function expectNoFile(): void {
  if (existsSync(ENV_FILE))
    throw new RangeError(`${ENV_FILE} exists: edit it, or replace it with --overwrite`)
}

/** Writes `.env`, readable only by its owner, completely or not at all. */
async function writeEnvFile(text: string, overwrite: boolean): Promise<void> {
  const temporary = `${ENV_FILE}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: OWNERS, flush: true })
    if (!overwrite) expectNoFile() // another process may have created it in the meantime
    await rename(temporary, ENV_FILE)
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined)
    if (cause instanceof RangeError) throw cause
    throw new Error(`cannot write ${ENV_FILE}: ${(cause as Error).message}`, { cause })
  }
}
