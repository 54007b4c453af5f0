import type { S3Options } from '@affine/blocks/s3'
import type { Account } from '@affine/chain'
import { networkNamed } from '@affine/settlement'
import { type EnvFile, envFile, faultText, printable } from '@affine/terminal'
import { Command, type OptionValues } from '@commander-js/extra-typings'
import { type AccountOptions, readAccount, withAccount } from './account.ts'
import { bucketOf, bucketProblems } from './bucket-settings.ts'
import { type Hide, hiding, nodeKeys, secretsOfUrl } from './secrets.ts'
import { type Found, findSettings, kebab } from './setting-sources.ts'
import { SETTINGS, sendingBy, toldBy } from './settings-table.ts'
import type { Given, Told } from './told.ts'
import { unknownIn } from './unknown-variables.ts'

/** What is wrong without a key where miners are on Chutes. */
export const NO_KEY =
  'CHUTES_API_KEY: not given, and on this network miners are asked through Chutes'

/**
 * What a validator was told: `network` has all nodes, `bucket` is one in S3, or the folder of all
 * buckets. Times are in seconds.
 */
export interface Settings extends Told {
  readonly bucket: Omit<S3Options, 'fetch' | 'now'> | string
}

export interface Read {
  /**
   * Every setting, secrets masked; `by` is the option or variable that it is from, or all it may be
   * from.
   */
  readonly shown: readonly Readonly<Record<'setting' | 'value' | 'from' | 'by', string>>[]
  readonly problems: readonly string[]
  /** When there are no problems. */
  readonly settings?: Settings
  /** Every setting as it was given, secrets too, and where it is from. */
  readonly found: readonly Found[]
  readonly hide: Hide
}

/**
 * Settings as options, the environment and the file `.env` give them, the first counts; and what is
 * wrong with each.
 */
export function readSettings(flags: object, env: Given, file: Given): Read {
  const found = findSettings(flags, env, file)
  const given = Object.fromEntries(found.map(({ setting, value }) => [setting.name, value]))
  const hide = hiding(secretsIn(given))
  const shown = found.map(({ setting, value = '-', from, by }) => ({
    setting: kebab(setting.name),
    value: hide(value),
    from,
    by,
  }))
  const problems = [...found.flatMap((each) => problemsWith(each, hide)), ...conflictsIn(given)]
  const settings = settingsOf(given)
  if (settings === undefined || problems.length > 0) return { shown, problems, hide, found }
  return { shown, problems, hide, found, settings }
}

/** Undefined where something is wrong or missing, and said to be. */
function settingsOf(given: Given): Settings | undefined {
  const told = toldBy(given)
  if (told === undefined) return undefined
  const bucket = bucketOf(told)
  if (bucket === undefined) return undefined
  const network = [told.network, told.fallback].filter((nodes) => nodes !== undefined).join()
  return { ...told, network, bucket }
}

function secretsIn(given: Given): readonly string[] {
  const secrets = SETTINGS.filter(({ secret }) => secret).flatMap(({ name }) => given[name] ?? [])
  const inUrls = [given.s3Endpoint, given.bucketUrl].flatMap((url) => secretsOfUrl(url))
  return [...secrets, ...inUrls, ...nodeKeys(`${given.network},${given.fallback}`)]
}

/** What is wrong with one setting by itself. */
function problemsWith({ setting, value, by }: Found, hide: Hide): readonly string[] {
  const issue = setting.shape.safeParse(value).error?.issues[0]
  if (issue === undefined) return []
  if (value === undefined) return [`${by}: ${issue.message}`]
  return [`${by}: ${issue.message}, got ${JSON.stringify(hide(value))}`]
}

/** What is missing beside what is given, or does not go together. */
function conflictsIn(given: Given): readonly string[] {
  return [...sendingProblems(given), ...bucketProblems(given), ...chutesProblems(given)]
}

function sendingProblems({ emit, dryRun }: Given): readonly string[] {
  if (emit === undefined || dryRun === undefined) return []
  return ['--emit and --dry-run, or AFFINE_EMIT and AFFINE_DRY_RUN: one of them is too many']
}

function chutesProblems({ network = '', bucketUrl, chutesApiKey }: Given): readonly string[] {
  if (networkNamed(network)?.platform !== 'chutes') return []
  const problems: string[] = []
  if (bucketUrl?.startsWith('http:'))
    problems.push('--bucket-url or AFFINE_BUCKET_URL: expected https on this network')
  if (chutesApiKey === undefined) problems.push(NO_KEY)
  return problems
}

/** What a command that acts once for a validator is told: does it send, and what is its folder? */
export type Sending = Pick<Settings, 'emit' | 'dryRun'> & { readonly folder: string | undefined }

/**
 * These settings, as options and the environment give them to a validator.
 * @throws RangeError that says what is wrong with them.
 */
export function readSending(flags: object, env: Given = process.env): Sending {
  const found = findSettings(flags, env, {}).filter(
    ({ setting, value }) => ['emit', 'dryRun', 'folder'].includes(setting.name) && value,
  )
  const given = Object.fromEntries(found.map(({ setting, value }) => [setting.name, value]))
  const problems = found.flatMap((each) => problemsWith(each, String))
  const text = [...problems, ...sendingProblems(given)].join('; ')
  if (text !== '') throw new RangeError(text)
  return { ...sendingBy(given), folder: given.folder }
}

export type Flags = AccountOptions & { json?: true }

/** What is wrong, a line each, as a command ends with it. */
export function problemLines(problems: readonly string[]): string {
  return problems.map((text) => `✘ ${printable(text, 1000)}`).join('\n')
}

/** A command with all settings as options, but for secrets. `readService` takes them. */
export function serviceCommand(name: string): Command<[], Flags> {
  const command = withAccount(new Command(name)).option('--json', 'one JSON object a line')
  const names = SETTINGS.map((setting) => setting.name)
  return withSettings(command, names)
}

/** Adds the options of these settings to a command. */
export function withSettings<T extends OptionValues>(
  command: Command<[], T>,
  names: readonly string[],
): Command<[], T> {
  const wanted = SETTINGS.filter(({ name }) => names.includes(name))
  for (const { option, help } of wanted) if (option && help) command.option(option, help)
  return command
}

interface Service extends Read {
  readonly account?: Account
  readonly warnings: readonly string[]
  readonly file: EnvFile
}

/**
 * Settings and account of a validator, and all that is wrong with either. `answers`, by variable,
 * count before the environment.
 */
export async function readService(flags: Flags, answers: Given = {}): Promise<Service> {
  const file = envFile()
  const isFromFile = ([name]: readonly [string, unknown]): boolean =>
    Object.hasOwn(file.given, name)
  const own = Object.entries(process.env).filter((each) => !isFromFile(each))
  const env = { ...Object.fromEntries(own), ...answers }
  const read = { ...readSettings(flags, env, file.given), file }
  const warnings = [...unknownIn(process.env)]
  const warn = (text: string): void => {
    warnings.push(text)
  }
  try {
    const account = await readAccount(flags, warn, { ...process.env, ...answers })
    return { ...read, warnings, account }
  } catch (error) {
    return { ...read, warnings, problems: [...read.problems, faultText(error as Error)] }
  }
}
