import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import type { Account } from '@affine/chain'
import { OWNERS } from '@affine/node/disk'
import { findNetwork, type Network } from '@affine/settlement'
import { createBucketOpener } from '@affine/settlement/node'
import {
  ENV_FILE,
  findFault,
  isFromFile,
  printable,
  readValues,
  type SettingTexts,
  type Values,
} from '@affine/terminal'
import { BACKENDS, findBackend, type OwnBucket, pickBackends } from '../buckets/backends.ts'
import { type AccountOptions, readValidatorAccount } from '../service/account.ts'
import { createMasker, findNodeKeys, findUrlSecrets, type Masker } from '../service/secrets.ts'
import { findSettings, pickGiven, type SettingEntry, toKebab } from './entries.ts'
import { checkVariables } from './env-file.ts'
import { COMMON, SETTINGS } from './table.ts'

/** Problems that prevent a validator from starting, with the options and variables to change. */
type Problems = readonly string[]

export const NO_KEY = 'CHUTES_API_KEY: not given; miners of this network are on Chutes'

/** The values of a validator's settings. */
export interface Settings extends Values<typeof COMMON> {
  readonly bucket: OwnBucket
}

export interface SettingsReport {
  /**
   * The given settings, with secrets masked. `by` is the option or variable that set a value.
   */
  readonly shown: readonly Readonly<Record<'setting' | 'value' | 'from' | 'by', string>>[]
  readonly problems: Problems
  /** The values. Undefined if a setting has a problem. */
  readonly settings?: Settings | undefined
  /** All settings with their sources, secrets included. */
  readonly entries: readonly SettingEntry[]
  readonly mask: Masker
}

/** Reads the settings that `findSettings` finds. Returns the values, and all problems with them. */
export function readSettings(flags: object, env?: SettingTexts): SettingsReport {
  const entries = findSettings(flags, env)
  const given = pickGiven(entries)
  const mask = createMasker(findSecrets(given))
  const shown = entries.flatMap(({ setting, value, by }) => {
    if (value === undefined) return []
    return { setting: toKebab(setting.name), value: mask(value), from: findSource(by), by }
  })
  const [backend] = pickBackends(given)
  // Settings of the other kinds of buckets are not required.
  const isNeeded = ({ setting, value }: SettingEntry): boolean =>
    value !== undefined || [backend, undefined].includes(findBackend(setting))
  const problems = [
    ...entries.filter(isNeeded).flatMap((each) => checkSetting(each, mask)),
    ...checkBuckets(given, entries),
    ...checkFolders(given),
    ...checkKey(given),
  ]
  const read = { shown, problems, mask, entries }
  if (backend === undefined || problems.length > 0) return read
  try {
    const bucket = backend.createBucket(given)
    return { ...read, settings: { ...readValues(COMMON, given), bucket } }
  } catch (error) {
    return { ...read, problems: [`the bucket: ${mask((error as Error).message)}`] }
  }
}

function findSource(by: string): string {
  if (by.startsWith('--')) return 'flag'
  return isFromFile(by) ? ENV_FILE : 'environment'
}

function findSecrets(given: SettingTexts): readonly string[] {
  const secrets = SETTINGS.flatMap(({ name, secret }) => {
    if (secret === 'all') return given[name] ?? []
    return secret === undefined ? [] : findUrlSecrets(given[name])
  })
  return [...secrets, ...findNodeKeys(`${given.network}`)]
}

/** Returns the problem of one setting, independent of the others. */
function checkSetting({ setting, value, by }: SettingEntry, mask: Masker): Problems {
  if (value === undefined) return setting.needed ? [`${by}: not given`] : []
  const fault = findFault(setting, value)
  return fault === undefined ? [] : [`${by}: ${fault}, got ${JSON.stringify(mask(value))}`]
}

const BUCKET_URL = '--bucket-url or AFFINE_BUCKET_URL'

/** Returns the problem of a missing bucket, of two buckets, or of a bucket without a URL. */
function checkBuckets(given: SettingTexts, entries: readonly SettingEntry[]): Problems {
  const backends = pickBackends(given)
  const [backend] = backends
  const namesOf = (kinds: typeof BACKENDS): readonly (string | undefined)[] =>
    kinds.map((kind) => entries.find(({ setting }) => findBackend(setting) === kind)?.by)
  if (backend === undefined) return [`the bucket: expected ${namesOf(BACKENDS).join(', or ')}`]
  if (backends.length > 1)
    return [`the bucket: expected one bucket, got ${namesOf(backends).join(' and ')}`]
  if (!backend.needsUrl || given.bucketUrl !== undefined) return []
  return [`${BUCKET_URL}: not given: no one could find the bucket`]
}

function checkKey({ network = '', bucketUrl, chutesApiKey }: SettingTexts): Problems {
  if (findNetwork(network)?.platform !== 'chutes') return []
  const isPlain = bucketUrl?.startsWith('http:')
  return [
    ...(isPlain ? [`${BUCKET_URL}: expected https on this network`] : []),
    ...(chutesApiKey === undefined ? [NO_KEY] : []),
  ]
}

/** Returns the problem if the private and the public folder are identical or nested. */
function checkFolders({ folder, buckets }: SettingTexts): Problems {
  if (folder === undefined || buckets === undefined) return []
  const [own, open] = [resolveLinks(folder), resolveLinks(buckets)]
  if (!isWithin(own, open) && !isWithin(open, own)) return []
  const names = '--folder and --buckets (or AFFINE_FOLDER and AFFINE_BUCKETS)'
  return [`${names}: nested: ${folder} holds secrets, and ${buckets} is public`]
}

/** Returns an absolute path, with links resolved in the part of it that exists. */
function resolveLinks(path: string): string {
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    const above = dirname(whole)
    return above === whole ? whole : join(resolveLinks(above), basename(whole))
  }
}

/** Reports whether the path is this folder or below it. Follows no links. */
function isWithin(path: string, folder: string): boolean {
  return !/^\.\.(?:\/|$)/.test(relative(folder, path))
}

export type Flags = AccountOptions & { json?: true }

export function formatProblems({ problems, warnings }: ServiceReport): string {
  return [...problems, ...warnings].map((text) => `✘ ${printable(text, 1000)}`).join('\n')
}

export interface ServiceReport extends SettingsReport {
  readonly account?: Account
  readonly warnings: readonly string[]
}

/** Reads the settings and the account of a validator. `answers` override the environment. */
export async function readService(
  flags: Flags,
  answers: SettingTexts = {},
): Promise<ServiceReport> {
  const read = readSettings(flags, { ...process.env, ...answers })
  const warnings = [...checkVariables()]
  const warn = (text: string): void => void warnings.push(text)
  try {
    const account = await readValidatorAccount(flags, warn, { ...process.env, ...answers })
    return { ...read, warnings, account }
  } catch (error) {
    return { ...read, warnings, problems: [...read.problems, (error as Error).message] }
  }
}

/**
 * Reports whether transactions are sent: never with `--dry-run`, and on a careful network only with
 * `--emit`.
 */
export function isSending(
  { careful }: Network,
  { emit = !careful, dryRun }: Partial<Pick<Settings, 'emit' | 'dryRun'>>,
): boolean {
  return emit && !dryRun
}

/**
 * Returns the folder and the bucket of the validator `hotkey`, the announced address `bucketUrl`
 * (default: the hotkey, as a name), and the function that opens other validators' buckets. If this
 * validator's bucket is in a folder, buckets announced by name are in that folder too.
 */
export function openPlaces(
  { folder, bucket, bucketUrl }: Pick<Settings, 'folder' | 'bucket' | 'bucketUrl'>,
  hotkey: string,
  network: Network,
) {
  return {
    folder,
    store: directoryBucket(folder, OWNERS),
    bucket: bucket.open(hotkey),
    bucketUrl: bucketUrl || hotkey,
    openBucket: createBucketOpener(bucket.folder, network),
  }
}
