import type { Given } from './group.ts'
import { SETTINGS } from './schema.ts'
import type { Setting } from './setting.ts'

/** A setting's text, undefined without one; and the place, option or variable that it is from. */
export interface Found {
  readonly setting: Setting
  readonly value: string | undefined
  readonly from: string
  /** All it may be from, where it is from none of them. */
  readonly by: string
}

/** What each place gives, by option or variable, in the order in which they count. */
type Sources = Readonly<Record<'flag' | 'environment' | '.env', Given>>

/** All settings as options, the environment and the file `.env` give them, the first counts. */
export function findSettings(flags: object, env: Given, file: Given): readonly Found[] {
  const options = Object.entries(flags).map(([name, value]) => [optionOf(name), String(value)])
  // An option that names a network names all of its nodes.
  const environment = 'network' in flags ? { ...env, SUBTENSOR_FALLBACK: undefined } : env
  const sources = {
    flag: Object.fromEntries(options),
    environment,
    // What the environment has, be it empty, the file cannot give.
    '.env': { ...file, ...environment },
  }
  return SETTINGS.map((setting) => find(setting, sources))
}

function find(setting: Setting, sources: Sources): Found {
  const names = namesOf(setting)
  for (const [from, values] of Object.entries(sources)) {
    for (const by of names) if (values[by]) return { setting, value: values[by], from, by }
  }
  const by = names.join(' or ')
  const standard = setting.type.safeParse(undefined).data
  if (standard === undefined) return { setting, value: undefined, from: '-', by }
  return { setting, value: String(standard), from: 'default', by }
}

/** Of what was found, what was given, by the names of settings. */
export function givenIn(found: readonly Found[]): Given {
  const given = found.filter(({ from }) => from !== 'default' && from !== '-')
  return Object.fromEntries(given.map(({ setting, value }) => [setting.name, value]))
}

/** The option and the variables that a setting may be from. */
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
