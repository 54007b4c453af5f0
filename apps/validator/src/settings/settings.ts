import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import type { Account } from '@affine/chain'
import type { Setup } from '@affine/engine'
import { OWNERS } from '@affine/node/disk'
import { type Network, networkNamed } from '@affine/settlement'
import { bucketsIn } from '@affine/settlement/node'
import {
  envFile,
  faultIn,
  faultText,
  type Given,
  ownVariables,
  printable,
  type Setting,
  type Table,
  type Values,
  valuesIn,
} from '@affine/terminal'
import { BACKENDS, backendOf, backendsIn, type OwnBucket } from '../buckets/backends.ts'
import { type AccountOptions, readValidator } from '../service/account.ts'
import { type Hide, hiding, nodeKeys, secretsOfUrl } from '../service/secrets.ts'
import { variableWarnings } from './env-file.ts'
import { type Found, findSettings, givenIn, kebab, namesOf } from './found-settings.ts'
import { COMMON, type SENDING, SETTINGS } from './table.ts'

/** A problem that keeps a validator from starting. */
export interface SettingProblem {
  readonly code: 'MISSING' | 'UNREADABLE' | 'CONFLICT' | 'REFUSED'
  /** What to change: options and variables, or the bucket. */
  readonly by?: string
  readonly detail: string
}

/** The problem if the key is missing where miners are on Chutes. */
export const NO_KEY: SettingProblem = {
  code: 'MISSING',
  by: 'CHUTES_API_KEY',
  detail: 'not given; on this network miners are asked through Chutes',
}

export const problemText = ({ by, detail }: SettingProblem): string =>
  by === undefined ? detail : `${by}: ${detail}`

/** The values of a validator's settings. `network` has all nodes. */
export interface Settings extends Values<typeof COMMON> {
  readonly bucket: OwnBucket
}

export interface ReadSettings {
  /**
   * Every setting, with secrets masked. `by` is the option or variable that gave it; if none did,
   * all that can give it.
   */
  readonly shown: readonly Readonly<Record<'setting' | 'value' | 'from' | 'by', string>>[]
  readonly problems: readonly SettingProblem[]
  /** Undefined when there are problems. */
  readonly settings?: Settings | undefined
  /** Every setting as it was given, secrets included, and where it is from. */
  readonly found: readonly Found[]
  readonly hide: Hide
}

/**
 * Reads settings from options, the environment and the file of settings, in this order of
 * precedence, and lists all problems with them.
 */
export function readSettings(
  flags: object,
  env: Given = ownVariables(),
  file: Given = envFile().given,
): ReadSettings {
  const found = findSettings(flags, env, file)
  const given = givenIn(found)
  const hide = hiding(secretsIn(given))
  const shown = found.map(({ setting, value = '-', from, by }) => ({
    setting: kebab(setting.name),
    value: hide(value),
    from,
    by,
  }))
  const [backend] = backendsIn(given)
  // The settings of other kinds of buckets are not missing.
  const isNeeded = ({ setting, value }: Found): boolean =>
    value !== undefined || [backend, undefined].includes(backendOf(setting))
  const problems = [
    ...found.filter(isNeeded).flatMap((each) => problemsWith(each, hide)),
    ...bucketProblems(given, found),
    ...folderProblems(given),
    ...chutesProblems(given),
  ]
  const read = { shown, problems, hide, found }
  if (backend === undefined || problems.length > 0) return read
  try {
    const { network, fallback, ...values } = valuesIn(COMMON, given)
    const nodes = fallback === undefined ? network : `${network},${fallback}`
    const bucket = backend.bucketFrom(given)
    return { ...read, settings: { ...values, fallback, network: nodes, bucket } }
  } catch (error) {
    const detail = hide((error as Error).message)
    return { ...read, problems: [{ code: 'REFUSED', by: 'the bucket', detail }] }
  }
}

function secretsIn(given: Given): readonly string[] {
  const secrets = SETTINGS.flatMap(({ name, secret }) => {
    if (secret === 'all') return given[name] ?? []
    return secret === undefined ? [] : secretsOfUrl(given[name])
  })
  return [...secrets, ...nodeKeys(`${given.network},${given.fallback}`)]
}

/** What is wrong with one setting by itself. */
function problemsWith({ setting, value, by }: Found, hide: Hide): readonly SettingProblem[] {
  if (value === undefined)
    return setting.needed ? [{ code: 'MISSING', by, detail: 'not given' }] : []
  const fault = faultIn(setting, value)
  if (fault === undefined) return []
  return [{ code: 'UNREADABLE', by, detail: `${fault}, got ${JSON.stringify(hide(value))}` }]
}

const BUCKET_URL = '--bucket-url or AFFINE_BUCKET_URL'

/** What is missing for a bucket, or given twice. */
function bucketProblems(given: Given, found: readonly Found[]): readonly SettingProblem[] {
  const by = 'the bucket'
  const backends = backendsIn(given)
  const [backend] = backends
  if (backend === undefined) {
    const firsts = BACKENDS.flatMap(({ settings }) => Object.entries<Setting>(settings).slice(0, 1))
    const ways = firsts.map(([name, setting]) => namesOf({ ...setting, name }).join(' or '))
    return [{ code: 'MISSING', by, detail: `expected ${ways.join(', or ')}` }]
  }
  if (backends.length > 1) {
    const got = backends.map((each) => found.find(({ setting }) => backendOf(setting) === each)?.by)
    const detail = `expected only one place, got ${got.join(' and ')}`
    return [{ code: 'CONFLICT', by, detail }]
  }
  if (!backend.needsUrl || given.bucketUrl !== undefined) return []
  const detail = 'not given, so that nobody could find the bucket'
  return [{ code: 'MISSING', by: BUCKET_URL, detail }]
}

function chutesProblems(given: Given): readonly SettingProblem[] {
  const { network = '', bucketUrl, chutesApiKey } = given
  if (networkNamed(network)?.platform !== 'chutes') return []
  const problems: SettingProblem[] = []
  if (bucketUrl?.startsWith('http:'))
    problems.push({ code: 'UNREADABLE', by: BUCKET_URL, detail: 'expected https on this network' })
  if (chutesApiKey === undefined) problems.push(NO_KEY)
  return problems
}

/** The problem if one of the private and the public folder is the other, or is in it. */
export function folderProblems({ folder, buckets }: Given): readonly SettingProblem[] {
  if (folder === undefined || buckets === undefined) return []
  const [own, open] = [realPath(folder), realPath(buckets)]
  if (!isWithin(own, open) && !isWithin(open, own)) return []
  const by = '--folder and --buckets (or AFFINE_FOLDER and AFFINE_BUCKETS)'
  const detail = `one is in the other: secrets are in ${folder}, and everyone can read ${buckets}`
  return [{ code: 'CONFLICT', by, detail }]
}

/** An absolute path, without links as far as it exists. */
function realPath(path: string): string {
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    const above = dirname(whole)
    return above === whole ? whole : join(realPath(above), basename(whole))
  }
}

/** Is the path this folder, or below it? Links are not followed. */
function isWithin(path: string, folder: string): boolean {
  return !/^\.\.(?:\/|$)/.test(relative(folder, path))
}

/** @throws RangeError that lists the problems, if there are any. */
export function expectNone(problems: readonly SettingProblem[]): void {
  if (problems.length > 0) throw new RangeError(problems.map(problemText).join('; '))
}

/**
 * The values of these settings alone.
 * @throws RangeError that lists the problems with them.
 */
export function valuesFrom<Settings extends Table>(
  found: readonly Found[],
  settings: Settings,
): Values<Settings> {
  const own = found.filter(({ setting }) => setting.name in settings)
  expectNone(own.flatMap((each) => problemsWith(each, String)))
  return valuesIn(settings, givenIn(own))
}

export type Flags = AccountOptions & { json?: true }

/** The problems and warnings, one a line, with which a command ends. */
export function problemLines({ problems, warnings }: ReadService): string {
  const texts = [...problems.map(problemText), ...warnings]
  return texts.map((text) => `✘ ${printable(text, 1000)}`).join('\n')
}

/** Settings with the account, and with what should be fixed. */
export interface ReadService extends ReadSettings {
  readonly account?: Account
  readonly warnings: readonly string[]
}

/** Reads the settings and the account of a validator. `answers` override the environment. */
export async function readService(flags: Flags, answers: Given = {}): Promise<ReadService> {
  const read = readSettings(flags, { ...ownVariables(), ...answers })
  const warnings = [...variableWarnings()]
  const warn = (text: string): void => void warnings.push(text)
  try {
    const account = await readValidator(flags, warn, { ...process.env, ...answers })
    return { ...read, warnings, account }
  } catch (error) {
    const refused = { code: 'REFUSED', detail: faultText(error as Error) } as const
    return { ...read, warnings, problems: [...read.problems, refused] }
  }
}

/** Are transactions sent? On a careful network only with `--emit`, and never with `--dry-run`. */
export function emits(
  { careful }: Network,
  { emit = !careful, dryRun }: Partial<Values<typeof SENDING>>,
): boolean {
  return emit && !dryRun
}

type Places = Pick<Setup, 'folder' | 'store' | 'bucket' | 'bucketUrl' | 'openBucket'>
type Wanted = Pick<Settings, 'folder' | 'bucket'> & { readonly bucketUrl?: string | undefined }

/**
 * The folder and the bucket of the validator `hotkey`, and how it opens the buckets of others,
 * which are beside its own if that is in a folder. It announces `bucketUrl`, or its hotkey as a
 * name.
 */
export function placesOf(wanted: Wanted, hotkey: string, network: Network): Places {
  const { folder, bucket, bucketUrl } = wanted
  return {
    folder,
    store: directoryBucket(folder, OWNERS),
    bucket: bucket.open(hotkey),
    bucketUrl: bucketUrl || hotkey,
    openBucket: bucketsIn(bucket.folder, network),
  }
}
