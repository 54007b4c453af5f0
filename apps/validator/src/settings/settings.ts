import { networkNamed } from '@affine/settlement'
import { BACKENDS, backendOf, backendsIn } from '../buckets/backends.ts'
import { type Hide, hiding, nodeKeys, secretsOfUrl } from '../service/secrets.ts'
import { folderProblems } from './folder-problems.ts'
import type { Given } from './group.ts'
import { SETTINGS, type Settings, settingsOf } from './schema.ts'
import { type Found, findSettings, givenIn, kebab, namesOf } from './sources.ts'
import { WORK } from './validator-settings.ts'

/** The problem if the key is missing where miners are on Chutes. */
export const NO_KEY = 'CHUTES_API_KEY: not given; on this network miners are asked through Chutes'

export interface ReadSettings {
  /**
   * Every setting, with secrets masked. `by` is the option or variable that gave it; if none did,
   * all that can give it.
   */
  readonly shown: readonly Readonly<Record<'setting' | 'value' | 'from' | 'by', string>>[]
  readonly problems: readonly string[]
  /** Undefined when there are problems. */
  readonly settings?: Settings | undefined
  /** Every setting as it was given, secrets included, and where it is from. */
  readonly found: readonly Found[]
  readonly hide: Hide
}

/**
 * Reads settings from options, the environment and the file `.env`, in this order of precedence,
 * and lists all problems with them.
 */
export function readSettings(flags: object, env: Given, file: Given): ReadSettings {
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
    ...sendingProblems(given),
    ...bucketProblems(given, found),
    ...folderProblems(given),
    ...chutesProblems(given),
  ]
  const read = { shown, problems, hide, found }
  if (backend === undefined || problems.length > 0) return read
  try {
    return { ...read, settings: settingsOf(given, backend) }
  } catch (error) {
    return { ...read, problems: [`the bucket: ${hide((error as Error).message)}`] }
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
function problemsWith({ setting, value, by }: Found, hide: Hide): readonly string[] {
  const issue = setting.type.safeParse(value).error?.issues[0]
  if (issue === undefined) return []
  if (value === undefined) return [`${by}: ${issue.message}`]
  return [`${by}: ${issue.message}, got ${JSON.stringify(hide(value))}`]
}

function sendingProblems({ emit, dryRun }: Given): readonly string[] {
  if (emit === undefined || dryRun === undefined) return []
  return ['--emit and --dry-run (or AFFINE_EMIT and AFFINE_DRY_RUN): give only one of them']
}

/** What is missing for a bucket, or given twice. */
function bucketProblems(given: Given, found: readonly Found[]): readonly string[] {
  const backends = backendsIn(given)
  const [backend] = backends
  if (backend === undefined) {
    const ways = BACKENDS.flatMap(({ settings }) => settings.slice(0, 1).map(namesOf))
    return [`the bucket: expected ${ways.map((names) => names.join(' or ')).join(', or ')}`]
  }
  if (backends.length > 1) {
    const got = backends.map((each) => found.find(({ setting }) => backendOf(setting) === each)?.by)
    return [`the bucket: expected only one place, got ${got.join(' and ')}`]
  }
  if (!backend.needsUrl || given.bucketUrl !== undefined) return []
  const lack = 'not given, so that nobody could find the bucket'
  return [`--bucket-url or AFFINE_BUCKET_URL: ${lack}`]
}

function chutesProblems({ network = '', bucketUrl, chutesApiKey }: Given): readonly string[] {
  if (networkNamed(network)?.platform !== 'chutes') return []
  const problems: string[] = []
  if (bucketUrl?.startsWith('http:'))
    problems.push('--bucket-url or AFFINE_BUCKET_URL: expected https on this network')
  if (chutesApiKey === undefined) problems.push(NO_KEY)
  return problems
}

/** The settings of a command that acts once for a validator: whether it sends. */
export type Sending = Pick<Settings, 'emit' | 'dryRun'>

/**
 * Reads these settings from options and the environment, as `af validate` does.
 * @throws RangeError that lists the problems with them.
 */
export function readSending(flags: object, env: Given = process.env): Sending {
  const found = findSettings(flags, env, {}).filter(
    ({ setting, value }) => ['emit', 'dryRun'].includes(setting.name) && value,
  )
  const given = givenIn(found)
  const problems = found.flatMap((each) => problemsWith(each, String))
  const text = [...problems, ...sendingProblems(given)].join('; ')
  if (text !== '') throw new RangeError(text)
  const { emit, dryRun } = WORK.read({ ...given, folder: '-' }) ?? {}
  return { emit, dryRun }
}
