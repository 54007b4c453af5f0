import { createOption, expandPath, type SettingTexts } from '@affine/terminal'
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { type NamedSetting, SETTINGS } from './table.ts'

/** A setting, and its value as a text. */
export interface SettingEntry {
  readonly setting: NamedSetting
  readonly value: string | undefined
  /** The option or variable that set the value; without a value, all of them, joined by "or". */
  readonly by: string
}

export function addSettingOptions<T extends OptionValues>(
  command: Command<[], T>,
  isWanted: (setting: NamedSetting) => boolean = () => true,
): Command<[], T> {
  for (const setting of SETTINGS.filter(isWanted)) {
    const { option: usage, heading, variables = [] } = setting
    if (usage === undefined) continue
    const option = createOption({ ...setting, option: usage }).helpGroup(`${heading}:`)
    if (variables.length > 0) option.description += ` (env: ${variables.join(' ')})`
    command.addOption(option)
  }
  return command
}

/**
 * Finds all settings in options and the environment. Options take precedence.
 * @throws RangeError for a path in another user's home, such as `~bob/x`.
 */
export function findSettings(
  flags: object,
  env: SettingTexts = process.env,
): readonly SettingEntry[] {
  const given = Object.entries(flags).map(([name, value]) => [`--${toKebab(name)}`, String(value)])
  const texts: SettingTexts = { ...env, ...Object.fromEntries(given) }
  return SETTINGS.map((setting) => {
    const names = listNames(setting)
    const by = names.find((name) => texts[name])
    const value = by && texts[by]
    if (!value) return { setting, value: undefined, by: names.join(' or ') }
    return { setting, value: setting.kind === 'path' ? expandPath(value, by) : value, by }
  })
}

export const pickGiven = (entries: readonly SettingEntry[]): SettingTexts =>
  Object.fromEntries(entries.map(({ setting, value }) => [setting.name, value]))

export const listNames = ({ option, variables = [] }: NamedSetting): readonly string[] => [
  ...(option?.split(' ', 1) ?? []),
  ...variables,
]

export function toKebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
