import type { Account } from '@affine/chain'
import { type EnvFile, envFile, faultText, ownVariables, printable } from '@affine/terminal'
import { Command } from '@commander-js/extra-typings'
import { type AccountOptions, readAccount } from '../service/account.ts'
import type { Given } from './group.ts'
import { withSettings } from './options.ts'
import { SETTINGS } from './schema.ts'
import { type ReadSettings, readSettings } from './settings.ts'
import { variableWarnings } from './unknown-variables.ts'

export type Flags = AccountOptions & { json?: true }

/** The problems, one a line, with which a command ends. */
export function problemLines(problems: readonly string[]): string {
  return problems.map((text) => `✘ ${printable(text, 1000)}`).join('\n')
}

/** A command with all settings except secrets as options, for `readService`. */
export function serviceCommand(name: string): Command<[], Flags> {
  const command = new Command(name).option('--json', 'print JSON, one object a line')
  return withSettings(
    command,
    SETTINGS.map((setting) => setting.name),
  )
}

interface Service extends ReadSettings {
  readonly account?: Account
  readonly warnings: readonly string[]
  readonly file: EnvFile
}

/**
 * The settings and the account of a validator, and all problems with them. `answers`, by variable,
 * count before the environment.
 */
export async function readService(flags: Flags, answers: Given = {}): Promise<Service> {
  const file = envFile()
  const { path = '.env' } = file
  const read = readSettings(flags, { ...ownVariables(), ...answers }, file.given)
  const shown = read.shown.map((row) => (row.from === '.env' ? { ...row, from: path } : row))
  const warnings = [...variableWarnings()]
  const warn = (text: string): void => {
    warnings.push(text)
  }
  const service = { ...read, shown, file, warnings }
  try {
    const account = await readAccount(flags, warn, { ...process.env, ...answers })
    return { ...service, account }
  } catch (error) {
    return { ...service, problems: [...read.problems, faultText(error as Error)] }
  }
}
