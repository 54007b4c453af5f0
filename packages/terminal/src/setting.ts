import { statSync } from 'node:fs'
import { FINNEY_FIRST_EPOCH, isOnline, NETWORK_HELP } from '@affine/settlement/open-chain'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Given } from './env-lines.ts'
import { wholePath } from './environment.ts'

/** One setting. It may be left out, unless it is needed or has a default. */
export interface Setting<Value = unknown> {
  /** The option and what it takes, as `--out <folder>`. Without it there is no option. */
  readonly option?: `--${string}`
  /** The variables that can give it: the first that is not empty counts. */
  readonly variables?: readonly string[]
  /**
   * Its value from a text.
   * @throws InvalidValue for a text that gives no value.
   */
  readonly read: (text: string) => Value
  /** A path may begin with `~`, which no shell expands in `--out=~/x` or in a file. */
  readonly kind?: 'path'
  readonly needed?: true
  readonly default?: string
  /** What stands for it, for help, where there is no default. */
  readonly without?: string
  /** What it is, for help and for docs/settings.md. */
  readonly help: string
  /**
   * Which part is masked: all, or the user and the query of a URL. A setting that is all secret has
   * no option, because everybody on a machine can read command lines.
   */
  readonly secret?: 'all' | 'in its URL'
  /** What `af setup` proposes. Of a bucket it asks for settings that are needed, and these. */
  readonly proposed?: string
}

/** Settings by name. An option has the same name in lower case, its words joined by hyphens. */
export type Table = Readonly<Record<string, Setting>>

/** The values of these settings. */
export type Values<Settings extends Table> = {
  readonly [Name in keyof Settings]:
    | ReturnType<Settings[Name]['read']>
    | (Settings[Name] extends { needed: true } | { default: string } ? never : undefined)
}

/**
 * The values of settings, from texts that were checked: each that is needed is there.
 * @throws InvalidValue for a text that gives no value.
 */
export function valuesIn<Settings extends Table>(
  settings: Settings,
  given: Given,
): Values<Settings> {
  const values = Object.entries(settings).map(([name, setting]) => {
    const text = given[name] ?? setting.default
    return [name, text === undefined ? undefined : setting.read(text)]
  })
  return Object.fromEntries(values) // TypeScript cannot follow a mapped type through a loop
}

/** The option of a setting. Its help has no variables: commander adds the one that it reads. */
export function optionOf<Usage extends string>(
  setting: Setting & { readonly option: Usage },
): Option<Usage> {
  const { option: usage, help, default: standard = setting.without } = setting
  const option = new Option(usage, standard === undefined ? help : `${help} (default: ${standard})`)
  if (setting.kind === 'path') option.argParser((path) => wholePath(path, option.name()))
  return option
}

/** The error of a reader, in commander's form. */
export class InvalidValue extends InvalidArgumentError {
  /** A noun phrase. */
  readonly expected: string

  constructor(expected: string) {
    super(`Expected ${expected}.`)
    this.expected = expected
  }
}

/** What a reader expected, if a text gives it no value: a part of a sentence. */
export function faultIn({ read }: Setting, text: string): string | undefined {
  try {
    read(text)
    return undefined
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error
    return `expected ${error.expected}`
  }
}

/** A reader of whole numbers, `low` to `high`. */
export function whole(low: number, high: number): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && isBetween(Number(text), low, high)) return Number(text)
    throw new InvalidValue(`a whole number, ${low} to ${high}`)
  }
}

/** Reads a share, 0 to 1. */
export function shareOption(text: string): number {
  if (/\S/.test(text) && isBetween(Number(text), 0, 1)) return Number(text)
  throw new InvalidValue('a number, 0 to 1')
}

const isBetween = (value: number, low: number, high: number): boolean =>
  value >= low && value <= high

/** A reader of texts for which `isIn` holds. */
export function textIn(
  expected: string,
  isIn: (text: string) => boolean,
): (text: string) => string {
  return (text) => {
    if (isIn(text)) return text
    throw new InvalidValue(expected)
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false // a text may also be no path at all
  }
}

/** Which subnet, on which nodes. */
export const CHAIN = {
  network: {
    option: '--network <where>',
    variables: ['SUBTENSOR_ENDPOINT'],
    read: textIn(NETWORK_HELP, (where) => isOnline(where) || isFile(where)), // no chain is asked
    kind: 'path',
    needed: true,
    help: NETWORK_HELP,
    proposed: 'finney',
  },
  fallback: {
    variables: ['SUBTENSOR_FALLBACK'],
    read: textIn('the ws:// or wss:// URL of a node', (url) => /^wss?:/.test(url)),
    help: 'one more node, for the network that SUBTENSOR_ENDPOINT names',
  },
  netuid: {
    option: '--netuid <n>',
    variables: ['AFFINE_NETUID', 'NETUID'],
    read: whole(0, 65_535),
    without: '120 on finney',
    help: 'the number of the subnet, if the network does not have a fixed one',
  },
  firstEpoch: {
    option: '--first-epoch <n>',
    variables: ['AFFINE_FIRST_EPOCH'],
    read: whole(0, 1e9),
    without: `${FINNEY_FIRST_EPOCH} on finney`,
    help:
      'the epoch that all validators agreed to start with, if the network does not have ' +
      'a fixed one',
  },
} satisfies Table
