import { takesPath, wholePath } from '@affine/terminal'
import type { Given } from './group.ts'
import { SETTINGS } from './schema.ts'
import type { Setting } from './setting.ts'

/** A setting's text, if there is one, and the source, option or variable that gave it. */
export interface Found {
  readonly setting: Setting
  readonly value: string | undefined
  readonly from: string
  /** The option or variable that gave it; if none did, all that can give it. */
  readonly by: string
}

/** What each source gives, by option or variable; the first source counts most. */
type Sources = Readonly<Record<'flag' | 'environment' | '.env', Given>>

/**
 * Finds all settings in options, the environment and the file `.env`; the first one counts.
 * @throws RangeError for a path in the home of another user, as `~bob/x`.
 */
export function findSettings(flags: object, env: Given, file: Given): readonly Found[] {
  const options = Object.entries(flags).map(([name, value]) => [optionOf(name), String(value)])
  // If an option names the network, it names all nodes.
  const environment = 'network' in flags ? { ...env, SUBTENSOR_FALLBACK: undefined } : env
  const sources = {
    flag: Object.fromEntries(options),
    environment,
    // The environment overrides the file, even with an empty value.
    '.env': { ...file, ...environment },
  }
  return SETTINGS.map((setting) => find(setting, sources))
}

function find(setting: Setting, sources: Sources): Found {
  const names = namesOf(setting)
  for (const [from, values] of Object.entries(sources)) {
    for (const by of names)
      if (values[by]) return { setting, value: textOf(values[by], by, setting), from, by }
  }
  const by = names.join(' or ')
  const standard = setting.type.safeParse(undefined).data
  if (standard === undefined) return { setting, value: undefined, from: '-', by }
  return { setting, value: String(standard), from: 'default', by }
}

const textOf = (text: string, by: string, { takes = '' }: Setting): string =>
  takesPath(takes) ? wholePath(text, by) : text

/** The texts that were given and are not defaults, by the name of the setting. */
export function givenIn(found: readonly Found[]): Given {
  const given = found.filter(({ from }) => from !== 'default' && from !== '-')
  return Object.fromEntries(given.map(({ setting, value }) => [setting.name, value]))
}

/** The option and the variables that can give a setting. */
export function namesOf({ name, takes, variables = [] }: Setting): readonly string[] {
  return takes === undefined ? variables : [optionOf(name), ...variables]
}

/** The option of the setting of this name. */
export function optionOf(name: string): string {
  return `--${kebab(name)}`
}

/** A name in lower case, its words joined by hyphens. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
