import { createOption, ENV_FILE, expandPath, type SettingTexts } from '@affine/terminal'
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { type NamedSetting, SETTINGS } from './table.ts'

/** A setting, its value as a text, and the source of the value. */
export interface SettingEntry {
  readonly setting: NamedSetting
  readonly value: string | undefined
  /** `flag`, `environment`, or `.env`; `-` without a value. */
  readonly from: string
  /** The option or variable that set the value; without a value, all of them, joined by "or". */
  readonly by: string
}

/** The texts of each source, by option or variable. Earlier sources take precedence. */
type Sources = Readonly<Record<string, SettingTexts>>

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
 * Finds all settings in options, the environment and the file of settings, in this order of
 * precedence.
 * @throws RangeError for a path in another user's home, such as `~bob/x`.
 */
export function findSettings(flags: object, env: SettingTexts, file: SettingTexts = {}) {
  const given = Object.entries(flags).map(([name, value]) => [`--${toKebab(name)}`, String(value)])
  // An option that names the network names all its nodes, so the fallback does not apply.
  const environment = 'network' in flags ? { ...env, SUBTENSOR_FALLBACK: undefined } : env
  const sources = {
    flag: Object.fromEntries(given),
    environment,
    // The environment overrides the file, even with an empty value.
    [ENV_FILE]: { ...file, ...environment },
  }
  return SETTINGS.map((setting) => findSetting(setting, sources))
}

function findSetting(setting: NamedSetting, sources: Sources): SettingEntry {
  const names = listNames(setting)
  for (const [from, values] of Object.entries(sources)) {
    const by = names.find((name) => values[name])
    const text = by && values[by]
    if (text)
      return { setting, value: setting.kind === 'path' ? expandPath(text, by) : text, from, by }
  }
  return { setting, value: undefined, from: '-', by: names.join(' or ') }
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
