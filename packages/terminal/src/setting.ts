import { statSync } from 'node:fs'
import { FINNEY_FIRST_EPOCH, isOnline, NETWORK_HELP } from '@affine/settlement/open-chain'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { SettingTexts } from './environment.ts'
import { expandPath } from './environment.ts'

/** A setting, optional unless it is `needed`. */
export interface Setting<Value = unknown> {
  /** Option and argument, such as `--out <folder>`. Default: no option. */
  readonly option?: `--${string}`
  /** Environment variables. The first that is not empty counts. */
  readonly variables?: readonly string[]
  /** Default: the value is the text. */
  readonly read?: Reader<Value>
  /** `path`: a path, which may begin with `~`. */
  readonly kind?: 'path'
  readonly needed?: true
  readonly default?: string
  /** Description of the default for help, if `default` is missing. */
  readonly without?: string
  /** Description for help and docs/settings.md. */
  readonly help: string
  /**
   * The masked part: all, or user, query and fragment of a URL. A setting that is all secret has no
   * option, because everyone on a machine can read command lines.
   */
  readonly secret?: 'all' | 'in its URL'
  /** Proposal of `af setup`. It skips settings of a bucket that are neither proposed nor needed. */
  readonly proposed?: string
}

/** Settings by name. An option is that name in lower case, with hyphens between words. */
export type Table = Readonly<Record<string, Setting>>

export type Values<Settings extends Table> = {
  readonly [Name in keyof Settings]:
    | (Settings[Name] extends { read: (text: string) => infer Value } ? Value : string)
    | (Settings[Name] extends { needed: true } | { default: string } ? never : undefined)
}

/**
 * Returns the values of settings. `given` must have each needed setting.
 * @throws InvalidArgumentError for a text that its setting's `read` rejects.
 */
export function readValues<Settings extends Table>(
  settings: Settings,
  given: SettingTexts,
): Values<Settings> {
  const values = Object.entries(settings).map(([name, setting]) => {
    const text = given[name] ?? setting.default
    return [name, text === undefined || !setting.read ? text : setting.read(text)]
  })
  return Object.fromEntries(values) // TypeScript cannot follow a mapped type through a loop
}

/** Returns the option of a setting, without the variables. */
export function createOption<Usage extends string>(
  setting: Omit<Setting, 'option'> & { readonly option: Usage },
): Option<Usage> {
  const { option: usage, kind, help, default: standard = setting.without } = setting
  const option = new Option(usage, standard === undefined ? help : `${help} (default: ${standard})`)
  return kind === undefined ? option : option.argParser((text) => expandPath(text, option.name()))
}

/** Returns an option for a path. A `~` at its start becomes the home folder. */
export const createPathOption = <Usage extends string>(option: Usage, help: string) =>
  createOption({ option, help, kind: 'path' })

/** Returns "expected" with the expected value if `read` rejects the text, otherwise undefined. */
export function findFault({ read }: Setting, text: string): string | undefined {
  try {
    read?.(text)
    return undefined
  } catch {
    return `expected ${read?.expected}`
  }
}

/**
 * Returns the value of a text, or throws commander's error if the text is invalid. `expected` is a
 * noun phrase.
 */
type Reader<Value> = ((text: string) => Value) & { readonly expected: string }

/** Returns a function that reads a text by `find`, and throws an error for undefined. */
export function reader<Value>(
  expected: string,
  find: (text: string) => Value | undefined,
): Reader<Value> {
  const read = (text: string): Value => {
    const value = find(text)
    if (value === undefined) throw new InvalidArgumentError(`Expected ${expected}.`)
    return value
  }
  return Object.assign(read, { expected })
}

/** Returns a function that reads texts for which `isValid` is true. */
export const textIn = (expected: string, isValid: (text: string) => boolean): Reader<string> =>
  reader(expected, (text) => (isValid(text) ? text : undefined))

const numberIn = (expected: string, form: RegExp, low: number, high: number): Reader<number> =>
  reader(expected, (text) =>
    form.test(text) && Number(text) >= low && Number(text) <= high ? Number(text) : undefined,
  )

/** Returns a function that reads whole numbers from `low` to `high`. */
export const whole = (low: number, high: number): Reader<number> =>
  numberIn(`a whole number, ${low} to ${high}`, /^\d+$/, low, high)

/** Reads a share, from 0 to 1. */
export const shareOption: Reader<number> = numberIn('a number, 0 to 1', /\S/, 0, 1)

/** Reports whether a path names a regular file. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false // No such file, or the text cannot be a path.
  }
}

/** Modules of environments that a program loads when it starts. */
export const ENV_MODULE = {
  option: '--env-module <file>',
  variables: ['AFFINE_ENV_MODULE'],
  kind: 'path',
  help:
    'a module of your own environments, which runs with all rights of this program; several ' +
    'with commas',
} satisfies Setting

/** The settings of a subnet and its nodes. */
export const CHAIN = {
  network: {
    option: '--network <where>',
    variables: ['SUBTENSOR_ENDPOINT'],
    // Checks only the form of a URL and the existence of a file. Does not open the chain.
    read: textIn(NETWORK_HELP, (where) => isOnline(where) || isFile(where)),
    kind: 'path',
    needed: true,
    help: NETWORK_HELP,
    proposed: 'finney',
  },
  netuid: {
    option: '--netuid <n>',
    variables: ['AFFINE_NETUID'],
    read: whole(0, 65_535),
    without: '120 on finney',
    help: 'the number of the subnet, if the network does not determine it',
  },
  firstEpoch: {
    option: '--first-epoch <n>',
    variables: ['AFFINE_FIRST_EPOCH'],
    read: whole(0, 1e9),
    without: `${FINNEY_FIRST_EPOCH} on finney`,
    help:
      'the epoch with which all validators agreed to start, if the network does not ' +
      'determine it',
  },
} satisfies Table
