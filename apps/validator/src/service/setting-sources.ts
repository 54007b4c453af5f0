import { SETTINGS, type Setting } from './settings-table.ts'
import type { Given } from './told.ts'

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
  // Who names a network by an option names all of its nodes.
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
  const standard = setting.shape.safeParse(undefined).data
  if (standard === undefined) return { setting, value: undefined, from: '-', by }
  return { setting, value: String(standard), from: 'default', by }
}

/** The option and the variables that a setting may be from. */
function namesOf({ name, option, variables }: Setting): readonly string[] {
  if (option === undefined) return variables
  return [optionOf(name), ...variables]
}

function optionOf(name: string): string {
  return `--${kebab(name)}`
}

/** A name in lower case, its words joined by hyphens. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
