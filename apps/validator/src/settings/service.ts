import type { Account } from '@affine/chain'
import { envFile, faultText, type Given, ownVariables, printable } from '@affine/terminal'
import { type AccountOptions, readAccount } from '../service/account.ts'
import { variableWarnings } from './env-file.ts'
import { type ReadSettings, readSettings } from './settings.ts'

export type Flags = AccountOptions & { json?: true }

/** The problems, one a line, with which a command ends. */
export function problemLines(problems: readonly string[]): string {
  return problems.map((text) => `✘ ${printable(text, 1000)}`).join('\n')
}

/**
 * The settings of a validator from options, the environment and the file of settings, and all
 * problems with them. `answers`, by variable, count before the environment.
 */
export function settingsHere(flags: object, answers: Given = {}): ReadSettings {
  const { path = '.env', given } = envFile()
  const read = readSettings(flags, { ...ownVariables(), ...answers }, given)
  const shown = read.shown.map((row) => (row.from === '.env' ? { ...row, from: path } : row))
  return { ...read, shown }
}

/** The same with the account, and with what should be fixed. */
export async function readService(
  flags: Flags,
  answers: Given = {},
): Promise<ReadSettings & { readonly account?: Account; readonly warnings: readonly string[] }> {
  const read = settingsHere(flags, answers)
  const warnings = [...variableWarnings()]
  const warn = (text: string): void => {
    warnings.push(text)
  }
  const service = { ...read, warnings }
  try {
    const account = await readAccount(flags, warn, { ...process.env, ...answers })
    return { ...service, account }
  } catch (error) {
    return { ...service, problems: [...read.problems, faultText(error as Error)] }
  }
}
