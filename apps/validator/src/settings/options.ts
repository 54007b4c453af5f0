import { type Command, Option, type OptionValues } from '@commander-js/extra-typings'
import { SETTINGS } from './schema.ts'
import type { Setting } from './setting.ts'
import { optionOf } from './sources.ts'

/** Adds the options of these settings to a command, each under its heading. */
export function withSettings<T extends OptionValues>(
  command: Command<[], T>,
  names: readonly string[],
): Command<[], T> {
  for (const setting of SETTINGS) {
    const { name, takes, heading } = setting
    if (takes === undefined || !names.includes(name)) continue
    const option = new Option(`${optionOf(name)} ${takes}`.trim(), helpOf(setting))
    command.addOption(option.helpGroup(`${heading}:`))
  }
  return command
}

/** The help of a setting: what it is, its default, and its variables. */
function helpOf(setting: Setting): string {
  const { help, variables = [] } = setting
  const standard = standardOf(setting)
  const notes = [
    ...(standard === undefined ? [] : [`default: ${standard}`]),
    ...(variables.length === 0 ? [] : [`env: ${variables.join(' ')}`]),
  ]
  return notes.length === 0 ? help : `${help} (${notes.join(', ')})`
}

/** The default of a setting; undefined if it has none. */
export function standardOf({ type, without }: Setting): string | undefined {
  const standard = type.safeParse(undefined).data
  return standard === undefined ? without : String(standard)
}
