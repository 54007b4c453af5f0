import { envFile, type Given, optionOf, type Setting, wholePath } from '@affine/terminal'
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { type Named, SETTINGS } from './table.ts'

/** A setting's text, if there is one, and the source, option or variable that gave it. */
export interface Found {
  readonly setting: Named
  readonly value: string | undefined
  readonly from: string
  /** The option or variable that gave it; if none did, all that can give it. */
  readonly by: string
}

/** What each source gives, by option or variable; the first source counts most. */
type Sources = Readonly<Record<string, Given>>

/** Adds the options of settings to a command, each under its heading. */
export function withSettings<T extends OptionValues>(
  command: Command<[], T>,
  isWanted: (setting: Named) => boolean = () => true,
): Command<[], T> {
  for (const setting of SETTINGS.filter(isWanted)) {
    const { option: usage, heading, variables = [] } = setting
    if (usage === undefined) continue
    const option = optionOf({ ...setting, option: usage }).helpGroup(`${heading}:`)
    if (variables.length > 0) option.description += ` (env: ${variables.join(' ')})`
    command.addOption(option)
  }
  return command
}

/**
 * Finds all settings in options, the environment and the file of settings; the first one counts.
 * @throws RangeError for a path in the home of another user, as `~bob/x`.
 */
export function findSettings(flags: object, env: Given, file: Given = {}): readonly Found[] {
  const options = Object.entries(flags).map(([name, value]) => [`--${kebab(name)}`, String(value)])
  // If an option names the network, it names all nodes.
  const environment = 'network' in flags ? { ...env, SUBTENSOR_FALLBACK: undefined } : env
  const sources = {
    flag: Object.fromEntries(options),
    environment,
    // The environment overrides the file, even with an empty value.
    [envFile().path ?? '.env']: { ...file, ...environment },
  }
  return SETTINGS.map((setting) => find(setting, sources))
}

function find(setting: Named, sources: Sources): Found {
  const { kind, default: standard } = setting
  const names = namesOf(setting)
  for (const [from, values] of Object.entries(sources)) {
    const by = names.find((name) => values[name])
    const text = by && values[by]
    if (text) return { setting, value: kind === 'path' ? wholePath(text, by) : text, from, by }
  }
  const from = standard === undefined ? '-' : 'default'
  return { setting, value: standard, from, by: names.join(' or ') }
}

/** The texts that were given and are not defaults, by the name of the setting. */
export function givenIn(found: readonly Found[]): Given {
  const given = found.filter(({ from }) => from !== 'default' && from !== '-')
  return Object.fromEntries(given.map(({ setting, value }) => [setting.name, value]))
}

/** The option and the variables that can give a setting. */
export function namesOf({
  name,
  option,
  variables = [],
}: Pick<Named, 'name' | keyof Setting>): readonly string[] {
  return option === undefined ? variables : [`--${kebab(name)}`, ...variables]
}

/** A name in lower case, its words joined by hyphens. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
