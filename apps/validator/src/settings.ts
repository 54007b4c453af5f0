import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import type { S3Options } from '@affine/blocks/s3'
import type { Account } from '@affine/chain'
import { FIRST_EPOCH, NETUID, NETWORK_HELP, networkNamed } from '@affine/verifier'
import { Command } from '@commander-js/extra-typings'
import * as z from 'zod'
import { type AccountOptions, readAccount, withAccount } from './commands/options.ts'

const text = () => z.string('not given')
const yes = () => z.stringbool('expected true or false').optional()
const like = (pattern: RegExp, what: string) => text().regex(pattern, `expected ${what}`).optional()
const word = () => like(/^[!-~]+$/, 'printable ASCII without spaces')
const whole = (low: number, high: number, what = `expected a whole number, ${low} to ${high}`) =>
  z.coerce.number(what).int(what).min(low, what).max(high, what)
const web = () =>
  like(/^(?=.{1,128}$)https?:\/\/[\w.:[\]-]+(\/[\w.~/-]*)?$/, 'a plain URL, 128 bytes at most')

/**
 * What a validator can be told, in the order in which it is shown. Descriptions are of options,
 * flags and help with two spaces between, and name the variables that do for them: AFFINE_ and the
 * setting's name, if none; the first that is not empty counts. A secret has no option: everybody on
 * the machine can read those.
 */
const schema = z.object({
  network: text().describe(`--network <where>  ${NETWORK_HELP} (SUBTENSOR_ENDPOINT)`),
  fallback: like(/^wss?:/, 'the ws:// or wss:// URL of a node').describe('SUBTENSOR_FALLBACK'),
  netuid: whole(0, 65_535).optional().describe(`${NETUID.flags}  ${NETUID.description}`),
  firstEpoch: whole(0, 1e9).optional().describe(`${FIRST_EPOCH.flags}  ${FIRST_EPOCH.description}`),
  key: text().optional().describe('--key'),
  wallet: text().optional().describe('--wallet BT_WALLET_COLD'),
  hotkey: text().optional().describe('--hotkey BT_WALLET_HOT'),
  walletPath: text().optional().describe('--wallet-path'),
  hotkeySecret: text().optional().describe('AFFINE_HOTKEY'),
  chutesApiKey: word().describe('CHUTES_API_KEY'),
  folder: text().describe('--folder <folder>  its own: journals, secrets, sealed blocks'),
  buckets: text()
    .optional()
    .describe('--buckets <folder>  where all buckets are, if its own is not in S3'),
  bucketUrl: web().describe(
    '--bucket-url <url>  where everyone can read it (AFFINE_BUCKET_URL R2_PUBLIC_BASE)',
  ),
  s3Endpoint: web().describe('S3_ENDPOINT'),
  r2AccountId: like(/^[0-9a-f]{32}$/, '32 hex digits').describe('R2_ACCOUNT_ID'),
  s3Bucket: like(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "a bucket's name").describe(
    'S3_BUCKET R2_BUCKET_ID',
  ),
  s3AccessKeyId: word().describe('S3_ACCESS_KEY_ID R2_WRITE_ACCESS_KEY_ID'),
  s3SecretAccessKey: word().describe('S3_SECRET_ACCESS_KEY R2_WRITE_SECRET_ACCESS_KEY'),
  s3Region: word().default('auto').describe('S3_REGION'),
  s3Style: z
    .enum(['path', 'virtual'], 'expected path or virtual')
    .default('path')
    .describe('S3_STYLE'),
  emit: yes().describe(
    '--emit  send to the chain: without it a validator on finney only says what it would send',
  ),
  dryRun: yes().describe('--dry-run  send nothing, whatever the network'),
  replay: yes().describe(
    '--replay  decide every epoch anew, instead of starting from what the others attested',
  ),
  concurrency: whole(1, 10_000)
    .default(32)
    .describe('--concurrency <n>  calls at once to one miner'),
  metrics: whole(0, 65_535)
    .optional()
    .describe('--metrics <port>  serve /metrics and /healthz; 0 takes any free port'),
  metricsHost: text()
    .default('127.0.0.1')
    .describe('--metrics-host <address>  where they are served'),
  stall: whole(1, 86_400)
    .default(300)
    .describe('--stall <s>  nothing for so long is unhealthy; twice as long ends it'),
  grace: whole(0, 3600)
    .default(30)
    .describe('--grace <s>  at Ctrl-C or SIGTERM, for what is under way'),
})
const NODE_KEY = /(?<=:\/\/)[^/?,@]{3,}(?=@)|(?<=:\/\/[^/?,]*[/?])[^,]{8,}/g
const SECRETS = ['hotkeySecret', 'chutesApiKey', 's3AccessKeyId', 's3SecretAccessKey']
/** What is wrong without a key where miners are on Chutes. */
export const NO_KEY =
  'CHUTES_API_KEY: not given, and on this network miners are asked through Chutes'

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const WAYS = Object.entries(schema.shape).map(([name, type]) => {
  const [flags = '', help] = type.description?.split('  ') ?? []
  const names = type.description?.match(/--[a-z-]+|[A-Z0-9]+_[A-Z0-9_]+/g) ?? []
  if (help && names.length === 1)
    names.push(`AFFINE_${kebab(name).replaceAll('-', '_').toUpperCase()}`)
  return { name, type, flags, help, names }
})

type Variables = Readonly<Record<string, string | undefined>>
type Some<Name extends string, T> = { readonly [name in Name]?: T | undefined }
/**
 * What a validator was told; `bucket` is one in S3, or the folder of all buckets. Times are in
 * seconds.
 */
export type Settings = Readonly<Record<'network' | 'folder' | 'metricsHost', string>> &
  Readonly<Record<'concurrency' | 'stall' | 'grace', number>> &
  Some<'bucketUrl' | 'chutesApiKey', string> &
  Some<'netuid' | 'firstEpoch' | 'metrics', number> &
  Some<'emit' | 'dryRun' | 'replay', boolean> & { readonly bucket: S3Options | string }

export interface Read {
  /**
   * Every setting, secrets masked; `by` is the option or variable that it is from, or all it may be
   * from.
   */
  readonly shown: readonly Readonly<
    Record<'setting' | 'value' | 'from' | 'by', string | undefined>
  >[]
  readonly problems: readonly string[]
  /** When there are no problems. */
  readonly settings?: Settings
  /** Takes out of a text what nobody may see. */
  readonly hide: (text: string) => string
}

type Flags = AccountOptions & { json?: true }
type Service = Read & { readonly account?: Account; readonly warnings: readonly string[] }

/**
 * Settings as options, the environment and the file `.env` give them, the first counts; and what is
 * wrong with each.
 */
export function readSettings(flags: object, env: Variables, file: Variables): Read {
  // Who names a network by an option names all of its nodes.
  const environment = 'network' in flags ? { ...env, SUBTENSOR_FALLBACK: undefined } : env
  const options = Object.entries(flags).map(([name, value]) => [`--${kebab(name)}`, String(value)])
  // What the environment has, be it empty, the file cannot give.
  const sources = {
    flag: Object.fromEntries(options),
    environment,
    '.env': { ...file, ...environment },
  }
  const found = WAYS.map((way) => ({ ...way, ...find(way, sources) }))
  const raw: Variables = Object.fromEntries(found.map(({ name, value }) => [name, value]))
  // The URL of a node may hold a key, as its user or behind its host.
  const keys = `${raw.network},${raw.fallback}`.match(NODE_KEY) ?? []
  const secrets = [...SECRETS.flatMap((name) => raw[name] ?? []), ...keys].sort(
    (a, b) => b.length - a.length,
  )
  const hide = (text: string) =>
    secrets.reduce((left, secret) => left.replaceAll(secret, mask(secret)), text)

  const [conflicts, bucket] = judge(raw)
  const wrong = found.flatMap(({ type, value, by }) => {
    const [issue] = type.safeParse(value).error?.issues ?? []
    return issue
      ? [
          `${by}: ${issue.message}${value === undefined ? '' : `, got ${JSON.stringify(hide(value))}`}`,
        ]
      : []
  })
  const problems = [...wrong, ...conflicts]
  const shown = found.map(({ name, value = '-', from, by }) => ({
    setting: kebab(name),
    value: hide(value),
    from,
    by,
  }))
  const { data } = schema.safeParse(raw)
  if (!data || bucket === undefined || problems.length > 0) return { shown, problems, hide }
  const network = [data.network, data.fallback].filter(Boolean).join()
  return { shown, problems, hide, settings: { ...data, network, bucket } }
}

const mask = (secret: string) => `****${secret.length < 16 ? '' : secret.slice(-2)}`

function find(
  { type, names }: (typeof WAYS)[number],
  sources: Readonly<Record<string, Variables>>,
) {
  for (const [from, values] of Object.entries(sources))
    for (const by of names) if (values[by]) return { from, by, value: values[by] }
  const [{ data }, by] = [type.safeParse(undefined), names.join(' or ')]
  return data === undefined
    ? { from: '-', by, value: data }
    : { from: 'default', by, value: String(data) }
}

/** Where the bucket is, and what is missing or does not go together. */
function judge(
  raw: Variables,
): readonly [conflicts: readonly string[], bucket: Settings['bucket'] | undefined] {
  const { buckets, bucketUrl, r2AccountId: id, s3Bucket: bucket, s3Region: region = '' } = raw
  const { s3Endpoint: endpoint = id && `https://${id}.r2.cloudflarestorage.com` } = raw
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = raw
  const inS3 = endpoint ?? bucket ?? accessKeyId ?? secretAccessKey
  const onChutes = networkNamed(raw.network ?? '')?.platform === 'chutes'
  const rules = [
    [
      raw.emit && raw.dryRun,
      '--emit and --dry-run, or AFFINE_EMIT and AFFINE_DRY_RUN: one of them is too many',
    ],
    [
      !inS3 === !buckets,
      '--buckets or AFFINE_BUCKETS, or S3_BUCKET and what goes with it: expected one of the two',
    ],
    [inS3 && !endpoint, 'S3_ENDPOINT or R2_ACCOUNT_ID: not given'],
    [inS3 && !bucket, 'S3_BUCKET or R2_BUCKET_ID: not given'],
    [inS3 && !accessKeyId, 'S3_ACCESS_KEY_ID or R2_WRITE_ACCESS_KEY_ID: not given'],
    [inS3 && !secretAccessKey, 'S3_SECRET_ACCESS_KEY or R2_WRITE_SECRET_ACCESS_KEY: not given'],
    [
      inS3 && !bucketUrl,
      '--bucket-url or AFFINE_BUCKET_URL: not given, and nobody would find a bucket in S3',
    ],
    [
      onChutes && bucketUrl?.startsWith('http:'),
      '--bucket-url or AFFINE_BUCKET_URL: expected https on this network',
    ],
    [onChutes && !raw.chutesApiKey, NO_KEY],
  ] as const
  const conflicts = rules.flatMap(([isBroken, text]) => (isBroken ? [text] : []))
  const keys = accessKeyId && secretAccessKey && { accessKeyId, secretAccessKey, region }
  const style = raw.s3Style === 'virtual' ? raw.s3Style : 'path'
  return [conflicts, endpoint && bucket && keys ? { endpoint, bucket, ...keys, style } : buckets]
}

/** A command with all settings as options, but for secrets. `readService` takes them. */
export function serviceCommand(name: string): Command<[], Flags> {
  const command = withAccount(new Command(name)).option('--json', 'one JSON object a line')
  for (const { flags, help } of WAYS) if (help) command.option(flags, help)
  return command
}

/** Settings and account of a validator, and all that is wrong with either. */
export async function readService(flags: Flags): Promise<Service> {
  const file = existsSync('.env') ? parseEnv(await readFile('.env', 'utf8')) : {}
  const read = readSettings(flags, process.env, file)
  const warnings: string[] = []
  const found = readAccount(flags, (text) => warnings.push(text), { ...file, ...process.env })
  const account = await found.catch(({ message }: Error) => message)
  if (typeof account !== 'string') return { ...read, warnings, account }
  return { ...read, warnings, problems: [...read.problems, account] }
}
